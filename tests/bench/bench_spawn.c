/* bench_spawn.c - time to start a program from a process that occupies 2 GiB
 *
 * The floor is the start from a small process: it must not matter how much memory the
 * coordinator occupies, because a start copies nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "coordinator/allocation/child_command.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "tests/bench/ratio.h"

enum { STARTS = 50, LIMIT_MS = 10000 };
static const size_t grown_bytes = (size_t)2 << 30;

struct ground {
    struct reactor *reactor;
    int running;
};

static void on_end(void *arg, const struct child_command_result *end)
{
    struct ground *ground = arg;

    if (!end->good) {
        fprintf(stderr, "bench_spawn: %s\n", end->problem);
        exit(1);
    }
    if (--ground->running == 0)
        reactor_stop(ground->reactor);
}

/* Returns the time that the event loop is blocked by the starts, not the run time of
 * the programs. */
static double starts_us(struct ground *ground)
{
    char *const argv[] = {"/bin/true", NULL};
    uint64_t start = clock_mono_ns(), took;
    struct child_command *run;
    struct err err;

    for (; ground->running < STARTS; ground->running++)
        if (child_command_start(&run, ground->reactor, argv, "", NULL, LIMIT_MS, on_end,
                                ground, &err) < 0)
            goto fail;
    took = clock_mono_ns() - start;
    if (reactor_run(ground->reactor, &err) < 0)
        goto fail;
    return (double)took / 1000;

fail:
    fprintf(stderr, "bench_spawn: %s\n", err.text);
    exit(1);
}

static double grown_us(void *arg)
{
    char *bytes = mmap(NULL, grown_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (bytes == MAP_FAILED)
        return -1;
    memset(bytes, 1, grown_bytes);
    double took = starts_us(arg);
    munmap(bytes, grown_bytes);
    return took;
}

static double empty_us(void *arg)
{
    return starts_us(arg);
}

int main(void)
{
    static const char name[] = "start of a program from 2 GiB";
    struct ground ground = {.reactor = reactor_create()};

    empty_us(&ground); /* warm-up */
    if (grown_us(&ground) < 0) {
        ratio_skip(name, "less than 2 GiB of memory are free");
    } else {
        double ratio = ratio_median(grown_us, empty_us, &ground);

        ratio_print(name, ratio, "the start from a small process", "<= 1.5",
                    ratio <= 1.5);
    }
    reactor_destroy(ground.reactor);
    return 0;
}
