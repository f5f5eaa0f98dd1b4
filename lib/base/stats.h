/* stats.h - what many measurements come to
 *
 * Figures of no values, and the spread of what has no middle, are NaN. The order of the
 * values does not matter and is kept. */
#ifndef LIB_BASE_STATS_H
#define LIB_BASE_STATS_H

#include <stddef.h>

double stats_min(const double *values, size_t count);
double stats_max(const double *values, size_t count);
double stats_mean(const double *values, size_t count);
double stats_median(const double *values, size_t count);
/* Between the neighbours in a straight line (as NumPy and R's type 7); q in 0..1. */
double stats_quantile(const double *values, size_t count, double q);
/* Of the sample: divided by count - 1; 0 for one value. */
double stats_deviation(const double *values, size_t count);
/* Median of the distances to the median, not scaled. */
double stats_mad(const double *values, size_t count);
/* Deviation divided by the mean's size. */
double stats_variation(const double *values, size_t count);

#endif
