/* two.h - what a second processor of this machine gives: two that are threads of one
 * core give less than two, and nothing that is measured on them can give more */
#ifndef TESTS_BENCH_TWO_H
#define TESTS_BENCH_TWO_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "tests/bench/ratio.h"

enum { TWO_TURNS = 40000000 };

/* Reads and writes within the nearest cache, as most work does; *kept: it is not
 * nothing. */
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

/* For the eye, behind a figure of two at work. */
static inline void two_tell(const char *name)
{
    ratio_print(name, ratio_median(two_one, two_both, NULL),
                "one of them, with a loop in its cache", "told", true);
}

#endif
