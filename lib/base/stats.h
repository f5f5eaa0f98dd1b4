/* stats.h - statistics of a list of values
 *
 * The result for an empty list is NaN, and so is the variation around a mean of 0. The
 * functions neither need nor change the order of the values. */
#ifndef LIB_BASE_STATS_H
#define LIB_BASE_STATS_H

#include <stddef.h>

double stats_min(const double *values, size_t count);
double stats_max(const double *values, size_t count);
double stats_mean(const double *values, size_t count);
double stats_median(const double *values, size_t count);
/* Interpolates linearly between neighbours (type 7 of R, default of NumPy); q in 0..1.
 */
double stats_quantile(const double *values, size_t count, double q);
/* Standard deviation of the sample (divisor count - 1); 0 for one value. */
double stats_deviation(const double *values, size_t count);
/* Median of the absolute distances to the median, not scaled. */
double stats_mad(const double *values, size_t count);
/* Standard deviation divided by the absolute mean. */
double stats_variation(const double *values, size_t count);

#endif
