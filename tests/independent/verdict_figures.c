/* verdict_figures.c - prints exact probabilities and intervals for samples on stdin
 *
 * Each line is "samples N M VALUES" or "pairs N VALUES". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/verdict/shift.h"
#include "lib/verdict/statistics/rank_sum.h"
#include "lib/verdict/statistics/signed_rank.h"

enum { MOST = 1000 };

static double values[2 * MOST];

static size_t read_count(void)
{
    size_t count;

    if (scanf("%zu", &count) != 1 || count > MOST)
        exit(1);
    return count;
}

static void read_values(size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (scanf("%lf", &values[i]) != 1)
            exit(1);
}

int main(void)
{
    struct rank_sum_cache *cache = rank_sum_cache_create();
    char kind[16];

    while (scanf("%15s", kind) == 1) {
        if (strcmp(kind, "samples") == 0) {
            size_t n = read_count(), m = read_count();

            read_values(n + m);
            struct shift shift =
                shift_of_samples(cache, values, n, values + n, m, 0, false);
            printf("%.17g %.17g %zu %.17g %.17g %.17g\n", shift.p_worse, shift.p_better,
                   rank_sum_interval(cache, n, m, 0.05), shift.theta, shift.low,
                   shift.high);
        } else {
            size_t n = read_count();

            read_values(n);
            struct shift shift = shift_of_pairs(values, n);
            printf("%.17g %.17g %zu %.17g %.17g %.17g\n", shift.p_worse, shift.p_better,
                   signed_rank_interval(n, 0.05), shift.theta, shift.low, shift.high);
        }
    }
    rank_sum_cache_destroy(cache);
    return 0;
}
