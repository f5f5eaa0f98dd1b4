#include "lib/daemon/systemd_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/num.h"
#include "lib/base/reactor.h"

void systemd_notify(const char *state)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t length = path ? strlen(path) : 0;

    if (length < 2 || length >= sizeof(to.sun_path) || (*path != '/' && *path != '@'))
        return;
    memcpy(to.sun_path, path, length);
    if (*path == '@') /* an abstract socket address begins with NUL */
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    close(fd);
}

static void on_watchdog_timer(void *arg)
{
    (void)arg;
    systemd_notify("WATCHDOG=1");
}

void systemd_notify_watchdog(struct reactor *reactor)
{
    const char *time_us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    uint64_t us, watched_pid;

    if (!time_us || !num_parse_u64(time_us, &us) || us < 2000)
        return;
    if (pid && (!num_parse_u64(pid, &watched_pid) || watched_pid != (uint64_t)getpid()))
        return;
    reactor_every(reactor, us / 2000, on_watchdog_timer, NULL);
}
