/* main.c - muster-runner: operators that are no programs, run as one
 *
 *   muster-runner kernel FILE ENTRY BLOCKS [ARGUMENT...]
 *   muster-runner library FILE ENTRY 1 [WORD...]
 *   muster-runner --serve FD
 *
 * Once by its arguments, or for as long as a worker says what to run next (talk.h); the
 * first is what the second does for each point, in a process of its own. */
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

enum { EXIT_WORDS = 2, EXIT_TALK = 7 };

typedef int again_fn(int their_end); /* inject/lifecycle.h, where the guest is there */

/* In one write with what the point printed last: who reads it is woken once. */
static void print_mark(uint64_t number)
{
    char mark[MARK_BYTES];

    mark_make(mark, number);
    fwrite(mark, 1, sizeof(mark), stdout);
    fflush(stdout);
}

static int serve(int fd)
{
    again_fn *again = (again_fn *)dlsym(RTLD_DEFAULT, "muster_inject_restart");
    struct runner_messages *talk = runner_messages_open(fd);
    struct runner_messages_point point;
    struct runner_messages_over over;
    struct err err;

    while (runner_messages_hear_point(talk, &point)) {
        if (again)
            again(point.their_end);
        else if (point.their_end >= 0)
            close(point.their_end);
        point_run(&point, &over);
        if (again)
            again(-1);
        print_mark(point.number);
        if (runner_messages_say_over(talk, &over, &err) < 0)
            return EXIT_TALK; /* the worker has gone */
        if (over.spoilt || over.left_bytes > 0)
            break; /* what waits is for another process */
    }
    runner_messages_close(talk);
    return 0;
}

int main(int argc, char **argv)
{
    struct runner_messages_point point = {
        .cwd = "", .words = (const char **)argv, .their_end = -1};
    struct runner_messages_over over;
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
        return EXIT_WORDS;
    }
    point.count = (size_t)argc;
    point_run(&point, &over);
    fflush(stdout);
    return (int)over.exit_code;
}
