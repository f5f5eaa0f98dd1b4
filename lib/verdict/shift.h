/* shift.h - by how much a metric changed, and how certain that is
 *
 * All shifts are natural logarithms of ratios new/base, with the sign turned where more
 * is better: positive is always worse. */
#ifndef LIB_VERDICT_SHIFT_H
#define LIB_VERDICT_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

struct rank_sum_cache;

struct shift {
    bool paired;
    size_t base_count, fresh_count; /* usable values, or pairs */
    size_t base_dropped,
        fresh_dropped; /* values that are no positive, finite numbers */
    double theta;      /* Hodges-Lehmann estimate; NaN without values */
    double low, high;  /* exact interval of at least 90 %; NaN: too few values */
    double p_worse;    /* probability of evidence as strong for "worse" by chance */
    double p_better;
    double scatter;     /* standard deviation of one value's ln, by the MAD */
    double base_median; /* in the metric's unit */
    double fresh_median;
};

/* Compares two samples of independent values. `tick` is the metric's resolution in its
 * unit, or 0: values are ranked by ticks, because equal ticks may differ as binary
 * fractions. (Half ticks, because a median may lie between two.) When each value of
 * both sides is 0, the shift is 0. */
struct shift shift_of_samples(struct rank_sum_cache *cache,
                              const double *base,
                              size_t base_count,
                              const double *fresh,
                              size_t fresh_count,
                              double tick,
                              bool more_is_better);

/* Summarises paired changes: one ln(new/base) per pair, card or point, already turned
 * so that positive is worse. Changes that are not finite are left out and counted. */
struct shift shift_of_pairs(const double *changes, size_t count);

/* Returns the change in per cent: 100 (e^shift - 1). */
double shift_percent(double shift);

#endif
