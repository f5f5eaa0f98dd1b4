/* bench_spawn.c - a program started by a coordinator that has grown to 2 GiB, against
 * one that is empty: starting must not copy what the starter has */
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

/* What the loop is held up by: not how long the programs then run. */
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
    static const char name[] = "a program started by a process of 2 GiB";
    struct ground ground = {.reactor = reactor_create()};

    empty_us(&ground); /* the first ones warm up */
    if (grown_us(&ground) < 0) {
        ratio_skip(name, "no 2 GiB of memory");
    } else {
        double ratio = ratio_median(grown_us, empty_us, &ground);

        ratio_print(name, ratio, "by an empty one", "<= 1.5", ratio <= 1.5);
    }
    reactor_destroy(ground.reactor);
    return 0;
}
