/* peer_address_test.c - other ends of TCP connections, local sockets and pipes */
#include "lib/wire/refusals/peer_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/unit.h"

/* Returns the accepted end of a connection that comes from this address. */
static int connection_from(const char *source)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from = {.sin_family = AF_INET};
    socklen_t size = sizeof(here);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    inet_pton(AF_INET, source, &from.sin_addr);
    assert_int_equal(bind(listener, (struct sockaddr *)&here, sizeof(here)), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &size), 0);
    assert_int_equal(bind(client, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&here, sizeof(here)), 0);
    int fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    close(listener);
    close(client);
    return fd;
}

static void a_connection_has_the_address_of_its_peer(void **ctx)
{
    int fd = connection_from("127.0.0.2");

    (void)ctx;
    assert_true(peer_address_is(fd, "127.0.0.2"));
    assert_false(peer_address_is(fd, "127.0.0.1"));
    assert_false(peer_address_is(fd, "127.0.0.22"));
    assert_false(peer_address_is(fd, NULL));
    close(fd);
}

static void a_local_socket_has_the_ids_of_its_process(void **ctx)
{
    char ids[64], other[64];
    int fds[2];

    (void)ctx;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    snprintf(ids, sizeof(ids), "localhost:%u:%u:%d", getuid(), getgid(), getpid());
    snprintf(other, sizeof(other), "localhost:%u:%u:%d", getuid(), getgid(), getppid());
    assert_true(peer_address_is(fds[0], ids));
    assert_true(peer_address_is(fds[0], strchr(ids, ':')));
    assert_false(peer_address_is(fds[0], other));
    assert_false(peer_address_is(fds[0], "127.0.0.1"));
    assert_false(peer_address_is(fds[0], ""));
    close(fds[0]);
    close(fds[1]);
}

static void other_descriptors_are_no_connections(void **ctx)
{
    int fds[2];

    (void)ctx;
    assert_int_equal(pipe(fds), 0);
    assert_false(peer_address_is(fds[0], NULL));
    assert_false(peer_address_is(fds[0], "127.0.0.1"));
    close(fds[0]);
    close(fds[1]);
    assert_false(peer_address_is(fds[0], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_has_the_address_of_its_peer),
        cmocka_unit_test(a_local_socket_has_the_ids_of_its_process),
        cmocka_unit_test(other_descriptors_are_no_connections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
