/* two.h - speed of two processes compared with one on this machine
 *
 * Two hardware threads of one core are slower than two cores. A benchmark of parallel
 * work prints this figure as well, because its own figure cannot be larger. */
#ifndef TESTS_BENCH_TWO_H
#define TESTS_BENCH_TWO_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "tests/bench/ratio.h"

enum { TWO_TURNS = 40000000 };

/* Reads and writes within the first-level cache. *kept is volatile, so that the
 * compiler does not remove the loop. */
static inline void two_turns(volatile uint32_t *kept)
{
    uint32_t table[1024] = {1}, at = 0;

    for (uint32_t i = 0; i < TWO_TURNS; i++) {
        at = (at * 5 + table[i % 1024]) % 1024;
        table[at] += i ^ at;
    }
    *kept = table[at];
}

static inline double two_in(int processes)
{
    uint64_t start = clock_mono_ns();
    volatile uint32_t kept;

    for (int p = 0; p < processes; p++) {
        pid_t pid = fork();

        if (pid < 0)
            exit(1);
        for (int i = 0; pid == 0 && i < 2 / processes; i++)
            two_turns(&kept);
        if (pid == 0)
            _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    return (double)(clock_mono_ns() - start);
}

static inline double two_one(void *arg)
{
    (void)arg;
    return two_in(1);
}

static inline double two_both(void *arg)
{
    (void)arg;
    return two_in(2);
}

/* Prints the figure of this machine; it has no budget. */
static inline void two_print(const char *name)
{
    ratio_print(name, ratio_median(two_one, two_both, NULL),
                "one process, a loop within the cache", "none", true);
}

#endif
