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

struct ground {
    char folder[32];
    char path[64];
    int fd;
};

static int set_up(void **ctx)
{
    struct ground *ground = calloc(1, sizeof(*ground));
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    strcpy(ground->folder, "/tmp/muster-notify-XXXXXX");
    assert_non_null(mkdtemp(ground->folder));
    snprintf(ground->path, sizeof(ground->path), "%s/socket", ground->folder);
    strcpy(at.sun_path, ground->path);
    ground->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(ground->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    *ctx = ground;
    return 0;
}

static int tear_down(void **ctx)
{
    struct ground *ground = *ctx;

    close(ground->fd);
    unlink(ground->path);
    rmdir(ground->folder);
    free(ground);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return 0;
}

static void assert_heard(const struct ground *ground, const char *expected)
{
    char bytes[128] = "";
    ssize_t size = recv(ground->fd, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);

    assert_int_equal(size, (ssize_t)strlen(expected));
    assert_string_equal(bytes, expected);
}

static void the_service_manager_is_told(void **ctx)
{
    const struct ground *ground = *ctx;

    setenv("NOTIFY_SOCKET", ground->path, 1);
    systemd_notify("READY=1\nSTATUS=serving");
    assert_heard(ground, "READY=1\nSTATUS=serving");
}

static void nobody_to_tell_is_no_failure(void **ctx)
{
    static const char *const wrong[] = {"", "/", "relative", "/tmp/there/is/nobody"};
    const struct ground *ground = *ctx;
    char byte;

    unsetenv("NOTIFY_SOCKET");
    systemd_notify("READY=1");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        setenv("NOTIFY_SOCKET", wrong[i], 1);
        systemd_notify("READY=1");
    }
    assert_int_equal(recv(ground->fd, &byte, 1, MSG_DONTWAIT), -1);
}

static void stop(void *arg)
{
    reactor_stop(arg);
}

static void the_watchdog_is_fed_by_the_loop(void **ctx)
{
    const struct ground *ground = *ctx;
    struct reactor *reactor = reactor_create();
    struct err err;

    setenv("NOTIFY_SOCKET", ground->path, 1);
    setenv("WATCHDOG_USEC", "2000", 1);
    systemd_notify_watchdog(reactor);
    reactor_on_fd(reactor, ground->fd, stop, reactor); /* until something came */
    assert_int_equal(reactor_run(reactor, &err), 0);
    assert_heard(ground, "WATCHDOG=1");
    reactor_destroy(reactor);
}

static void somebody_elses_watchdog_is_not_fed(void **ctx)
{
    const struct ground *ground = *ctx;
    struct reactor *reactor = reactor_create();
    struct err err;
    char byte;

    setenv("NOTIFY_SOCKET", ground->path, 1);
    setenv("WATCHDOG_USEC", "2000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    systemd_notify_watchdog(reactor);
    reactor_once(reactor, 10, stop, reactor);
    assert_int_equal(reactor_run(reactor, &err), 0);
    assert_int_equal(recv(ground->fd, &byte, 1, MSG_DONTWAIT), -1);
    reactor_destroy(reactor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_service_manager_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_to_tell_is_no_failure, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_watchdog_is_fed_by_the_loop, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(somebody_elses_watchdog_is_not_fed, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
