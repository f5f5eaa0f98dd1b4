#include "inject/session/worker_connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int worker_connection_find_socket(void)
{
    const char *text = getenv(CONTROL_ENV);
    unsigned long long inode;
    struct stat is;
    int fd;

    if (!text || sscanf(text, "%d:%llu", &fd, &inode) != 2 || fd < 0)
        return -1;
    if (fstat(fd, &is) < 0 || !S_ISSOCK(is.st_mode) || is.st_ino != inode)
        return -1;
    return fd;
}

static bool send_hello(int control_socket, int worker_end)
{
    union control_message hello;
    ssize_t length;

    control_message_init(&hello, CONTROL_HELLO);
    hello.hello.pid = (uint32_t)getpid();
    hello.hello.parent_pid = (uint32_t)getppid();
    length = readlink("/proc/self/exe", hello.hello.program,
                      sizeof(hello.hello.program) - 1);
    if (length < 0)
        hello.hello.program[0] = '\0';
    return control_send(control_socket, &hello, &worker_end, 1) == 0;
}

bool worker_connection_receive(int socket,
                               union control_message *message,
                               enum control_kind kind,
                               int fds[CONTROL_FDS_MAX])
{
    ssize_t received;

    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        fds[i] = -1;
    received = control_wait(socket, CONTROL_ANSWER_MS)
                   ? control_receive(socket, message, fds)
                   : -1;

    return received > 0 && control_message_fits(message, (size_t)received, kind);
}

void worker_connection_close_fds(int fds[CONTROL_FDS_MAX])
{
    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

bool worker_connection_open(int control_socket,
                            int *channel,
                            union control_message *config,
                            int fds[CONTROL_FDS_MAX])
{
    int ends[2];
    bool sent;

    if (control_pair(ends) < 0)
        return false;
    sent = send_hello(control_socket, ends[1]);
    close(ends[1]);
    if (!sent) {
        close(ends[0]);
        return false;
    }
    if (!worker_connection_receive(ends[0], config, CONTROL_CONFIG, fds) ||
        fds[CONFIG_RING] < 0) {
        worker_connection_close_fds(fds);
        close(ends[0]);
        return false;
    }
    *channel = ends[0];
    return true;
}
