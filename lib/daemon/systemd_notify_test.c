#include "lib/daemon/systemd_notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/reactor.h"
#include "tests/support/unit.h"

struct fixture {
    char folder[32];
    char path[64];
    int fd;
};

static int set_up(void **ctx)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    strcpy(fixture->folder, "/tmp/muster-notify-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof(fixture->path), "%s/socket", fixture->folder);
    strcpy(at.sun_path, fixture->path);
    fixture->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fixture->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    *ctx = fixture;
    return 0;
}

static int tear_down(void **ctx)
{
    struct fixture *fixture = *ctx;

    close(fixture->fd);
    unlink(fixture->path);
    rmdir(fixture->folder);
    free(fixture);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return 0;
}

static void assert_received(const struct fixture *fixture, const char *expected)
{
    char bytes[128] = "";
    ssize_t size = recv(fixture->fd, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);

    assert_int_equal(size, (ssize_t)strlen(expected));
    assert_string_equal(bytes, expected);
}

static void a_state_is_sent_to_the_socket_of_systemd(void **ctx)
{
    const struct fixture *fixture = *ctx;

    setenv("NOTIFY_SOCKET", fixture->path, 1);
    systemd_notify("READY=1\nSTATUS=serving");
    assert_received(fixture, "READY=1\nSTATUS=serving");
}

static void a_missing_or_wrong_socket_is_ignored(void **ctx)
{
    static const char *const wrong[] = {"", "/", "relative", "/tmp/no/such/socket"};
    const struct fixture *fixture = *ctx;
    char byte;

    unsetenv("NOTIFY_SOCKET");
    systemd_notify("READY=1");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        setenv("NOTIFY_SOCKET", wrong[i], 1);
        systemd_notify("READY=1");
    }
    assert_int_equal(recv(fixture->fd, &byte, 1, MSG_DONTWAIT), -1);
}

static void stop(void *arg)
{
    reactor_stop(arg);
}

static void the_loop_sends_watchdog_messages(void **ctx)
{
    const struct fixture *fixture = *ctx;
    struct reactor *reactor = reactor_create();
    struct err err;

    setenv("NOTIFY_SOCKET", fixture->path, 1);
    setenv("WATCHDOG_USEC", "2000", 1);
    systemd_notify_watchdog(reactor);
    reactor_on_fd(reactor, fixture->fd, stop, reactor); /* until a message arrives */
    assert_int_equal(reactor_run(reactor, &err), 0);
    assert_received(fixture, "WATCHDOG=1");
    reactor_destroy(reactor);
}

static void the_watchdog_of_another_process_is_left_alone(void **ctx)
{
    const struct fixture *fixture = *ctx;
    struct reactor *reactor = reactor_create();
    struct err err;
    char byte;

    setenv("NOTIFY_SOCKET", fixture->path, 1);
    setenv("WATCHDOG_USEC", "2000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    systemd_notify_watchdog(reactor);
    reactor_once(reactor, 10, stop, reactor);
    assert_int_equal(reactor_run(reactor, &err), 0);
    assert_int_equal(recv(fixture->fd, &byte, 1, MSG_DONTWAIT), -1);
    reactor_destroy(reactor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_state_is_sent_to_the_socket_of_systemd,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_or_wrong_socket_is_ignored, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_loop_sends_watchdog_messages, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_watchdog_of_another_process_is_left_alone,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
