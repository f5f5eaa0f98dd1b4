/* private_fd_test.c - descriptors of ours that the program closes and uses again */
#include "inject/base/private_fd.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void ours_live_far_up_and_end_with_an_exec(void **ctx)
{
    struct private_fd ours;
    int number = eventfd(0, 0), next;

    (void)ctx;
    private_fd_take(&ours, number);
    assert_true(private_fd_get(&ours) > 100);
    assert_int_equal(fcntl(private_fd_get(&ours), F_GETFD), FD_CLOEXEC);
    next = open("/dev/null", O_RDONLY);
    assert_int_equal(next, number); /* the low one is free again */
    close(next);
    private_fd_close(&ours);
    assert_int_equal(private_fd_get(&ours), -1);
    private_fd_close(&ours);
}

static void a_number_that_is_another_file_is_not_touched(void **ctx)
{
    int ends[2], number;
    struct private_fd ours;

    (void)ctx;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    private_fd_take(&ours, ends[0]);
    number = private_fd_get(&ours);
    close(number); /* the program does this */
    assert_int_equal(private_fd_get(&ours), -1);
    assert_int_equal(dup2(ends[1], number), number); /* a socket as well */
    assert_int_equal(private_fd_get(&ours), -1);
    private_fd_close(&ours);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(ends[1]);
}

static void without_room_far_up_it_stays_where_it_is(void **ctx)
{
    struct rlimit before, little;
    struct private_fd ours;
    int number = open("/dev/null", O_RDONLY);

    (void)ctx;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    little = before;
    little.rlim_cur = 20;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &little), 0);
    private_fd_take(&ours, number);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(private_fd_get(&ours), number);
    private_fd_close(&ours);
    assert_int_equal(private_fd_raise(-1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ours_live_far_up_and_end_with_an_exec),
        cmocka_unit_test(a_number_that_is_another_file_is_not_touched),
        cmocka_unit_test(without_room_far_up_it_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
