/* ratio.h - compares two functions: runs them in turn, A B A B, and takes the median
 * ratio
 *
 * The speed of a shared machine changes several-fold within minutes, so only two runs
 * in immediate succession can be compared. Each benchmark prints one line of JSON per
 * figure; run.py prints them as a table. */
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

/* Returns the median of ours(arg) / theirs(arg). Both return a time in the same unit.
 */
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

/* Prints a figure. budget is a text such as "<= 1.5"; holds is true when it is met. */
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

/* Prints that a figure could not be measured, and the reason. */
static inline void ratio_skip(const char *name, const char *reason)
{
    printf("{\"name\":\"%s\",\"skipped\":\"%s\"}\n", name, reason);
    fflush(stdout);
}

#endif
