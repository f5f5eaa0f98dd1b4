/* pairwise.h - order statistics of all pairs of values
 *
 * The lists must be sorted, smallest first, and finite. Few pairs are listed and
 * sorted; many are only counted, so time and memory do not grow with the square of the
 * lists. Both ways return the same values. */
#ifndef LIB_VERDICT_STATISTICS_PAIRWISE_H
#define LIB_VERDICT_STATISTICS_PAIRWISE_H

#include <stddef.h>

struct pairwise_range {
    double centre; /* median of all pairs */
    double low;    /* k-th smallest; NaN when k is 0 or above the number of pairs */
    double high;   /* k-th largest; likewise */
};

/* Describes the n * m differences fresh[j] - base[i] (Hodges-Lehmann). Without a value
 * on one of the sides everything is NaN. */
struct pairwise_range pairwise_differences(const double *base,
                                           size_t n,
                                           const double *fresh,
                                           size_t m,
                                           size_t k);

/* Describes the count * (count + 1) / 2 averages of two values, each value with itself
 * included (Walsh averages). */
struct pairwise_range pairwise_averages(const double *values, size_t count, size_t k);

/* Returns the median distance of two different values; NaN for fewer than two. */
double pairwise_median_distance(const double *values, size_t count);

#endif
