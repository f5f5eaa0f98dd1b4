/* ratio.h - how a benchmark compares two things: A B A B, and the median of the ratios
 *
 * These machines drift by a factor of several within minutes: only a pair that was
 * timed back to back tells something. Each benchmark prints a line of JSON a figure;
 * run.sh makes a table of them. */
#ifndef TESTS_BENCH_RATIO_H
#define TESTS_BENCH_RATIO_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATIO_PAIRS = 5 };

static inline int ratio_order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The median of ours(arg) / theirs(arg), both in any unit of "less is better". */
static inline double
ratio_median(double (*ours)(void *arg), double (*theirs)(void *arg), void *arg)
{
    double ratios[RATIO_PAIRS];

    for (int i = 0; i < RATIO_PAIRS; i++) {
        double mine = ours(arg);

        ratios[i] = mine / theirs(arg);
    }
    qsort(ratios, RATIO_PAIRS, sizeof(ratios[0]), ratio_order);
    return ratios[RATIO_PAIRS / 2];
}

/* `budget` is a text such as "<= 1.5" for people; `holds` says whether it is met. */
static inline void ratio_print(const char *name,
                               double ratio,
                               const char *of,
                               const char *budget,
                               bool holds)
{
    printf("{\"name\":\"%s\",\"ratio\":%.4f,\"of\":\"%s\",\"budget\":\"%s\","
           "\"holds\":%s}\n",
           name, ratio, of, budget, holds ? "true" : "false");
    fflush(stdout);
}

/* A peer that is not here to be compared with. */
static inline void ratio_skip(const char *name, const char *why)
{
    printf("{\"name\":\"%s\",\"skipped\":\"%s\"}\n", name, why);
    fflush(stdout);
}

#endif
