/* sample.h - the usable values of one side of a comparison, as sorted logarithms
 *
 * Ratios need positive, finite numbers: NaN, infinities, zeros and negative numbers are
 * left out and counted. */
#ifndef LIB_VERDICT_SAMPLE_H
#define LIB_VERDICT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

struct sample {
    double *values; /* the usable values, sorted like their logs */
    double *logs;   /* ln(value), smallest first; -ln(value) where more is better */
    size_t count;
    size_t dropped; /* values that are no positive, finite numbers */
    bool all_zero;  /* there are values, and each of them is 0 */
};

void sample_init(struct sample *sample,
                 const double *values,
                 size_t count,
                 bool more_is_better);
void sample_clear(struct sample *sample);

/* Returns the median of the usable values; NaN when there is none. */
double sample_median(const struct sample *sample);

#endif
