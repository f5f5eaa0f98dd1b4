/* main.c - muster-runner: calls operators that are kernel files or libraries
 *
 *   muster-runner kernel FILE ENTRY BLOCKS [ARGUMENT...]
 *   muster-runner library FILE ENTRY 1 [WORD...]
 *   muster-runner --serve FD
 *
 * The first two forms execute one point and exit. With --serve, the runner executes the
 * points that a worker sends over the socket FD (runner_messages.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "runner/point.h"
#include "runner/protocol/mark.h"
#include "runner/protocol/runner_messages.h"

enum { EXIT_USAGE = 2, EXIT_NO_WORKER = 7 };

/* muster_inject_restart() of inject/lifecycle.h, if inject is loaded */
typedef int restart_fn(int inject_fd);

/* Prints the mark in one write with the last output, so that the worker wakes up once.
 */
static void print_mark(uint64_t number)
{
    char mark[MARK_BYTES];

    mark_make(mark, number);
    fwrite(mark, 1, sizeof(mark), stdout);
    fflush(stdout);
}

static int serve(int fd)
{
    restart_fn *restart_inject =
        (restart_fn *)dlsym(RTLD_DEFAULT, "muster_inject_restart");
    struct runner_messages *messages = runner_messages_open(fd);
    struct runner_messages_point point;
    struct runner_messages_end end;
    struct err err;

    while (runner_messages_receive_point(messages, &point)) {
        if (restart_inject)
            restart_inject(point.inject_fd);
        else if (point.inject_fd >= 0)
            close(point.inject_fd);
        point_run(&point, &end);
        if (restart_inject)
            restart_inject(-1);
        print_mark(point.number);
        if (runner_messages_send_end(messages, &end, &err) < 0)
            return EXIT_NO_WORKER; /* the worker has ended */
        if (end.damaged || end.left_bytes > 0)
            break; /* the worker sends the waiting points to the next process */
    }
    runner_messages_close(messages);
    return 0;
}

int main(int argc, char **argv)
{
    struct runner_messages_point point = {
        .cwd = "", .words = (const char **)argv, .inject_fd = -1};
    struct runner_messages_end end;
    uint64_t fd;

    fd_open_standard();
    mem_disable_trim();
    if (argc == 3 && strcmp(argv[1], "--serve") == 0 && num_parse_u64(argv[2], &fd) &&
        fd < 1 << 20)
        return serve((int)fd);
    if (argc < RUNNER_MESSAGES_WORDS_FOR_RUNNER) {
        fprintf(stderr, "usage: muster-runner kernel FILE ENTRY BLOCKS [ARGUMENT...]\n"
                        "       muster-runner library FILE ENTRY 1 [WORD...]\n"
                        "       muster-runner --serve FD\n");
        return EXIT_USAGE;
    }
    point.count = (size_t)argc;
    point_run(&point, &end);
    fflush(stdout);
    return (int)end.exit_code;
}
