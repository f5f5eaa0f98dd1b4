/* private_fd_test.c - descriptors of inject that the program closes and uses again */
#include "inject/base/private_fd.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void private_descriptors_are_high_and_close_on_exec(void **ctx)
{
    struct private_fd fd;
    int number = eventfd(0, 0), next;

    (void)ctx;
    private_fd_take(&fd, number);
    assert_true(private_fd_get(&fd) > 100);
    assert_int_equal(fcntl(private_fd_get(&fd), F_GETFD), FD_CLOEXEC);
    next = open("/dev/null", O_RDONLY);
    assert_int_equal(next, number); /* the low number is free again */
    close(next);
    private_fd_close(&fd);
    assert_int_equal(private_fd_get(&fd), -1);
    private_fd_close(&fd);
}

static void a_number_that_belongs_to_another_file_is_not_used(void **ctx)
{
    int ends[2], number;
    struct private_fd fd;

    (void)ctx;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    private_fd_take(&fd, ends[0]);
    number = private_fd_get(&fd);
    close(number); /* the program does this */
    assert_int_equal(private_fd_get(&fd), -1);
    assert_int_equal(dup2(ends[1], number), number); /* another socket */
    assert_int_equal(private_fd_get(&fd), -1);
    private_fd_close(&fd);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(ends[1]);
}

static void a_descriptor_keeps_its_number_below_a_low_limit(void **ctx)
{
    struct rlimit before, little;
    struct private_fd fd;
    int number = open("/dev/null", O_RDONLY);

    (void)ctx;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    little = before;
    little.rlim_cur = 20;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &little), 0);
    private_fd_take(&fd, number);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(private_fd_get(&fd), number);
    private_fd_close(&fd);
    assert_int_equal(private_fd_raise(-1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_descriptors_are_high_and_close_on_exec),
        cmocka_unit_test(a_number_that_belongs_to_another_file_is_not_used),
        cmocka_unit_test(a_descriptor_keeps_its_number_below_a_low_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
