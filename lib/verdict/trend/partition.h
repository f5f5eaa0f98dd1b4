/* partition.h - the best division of a series into levels
 *
 * The cost of a division is the sum of squared distances to the mean of each segment,
 * plus a penalty for each boundary. The division of least cost is found exactly; of
 * equal ones, the one whose last boundary is earliest. Starts that can never be best
 * again are dropped (PELT, pruned exact linear time): a series with changes costs
 * linear time, a series without any costs at most count * count / 2 steps. */
#ifndef LIB_VERDICT_TREND_PARTITION_H
#define LIB_VERDICT_TREND_PARTITION_H

#include <stddef.h>

/* Writes the start of each segment, beginning with 0, and returns their number: at most
 * count / shortest, and at least 1 unless count is 0. A segment has at least `shortest`
 * values, unless the whole series is shorter. Values are finite and in units of the
 * noise's standard deviation. */
size_t partition_find(const double *values,
                      size_t count,
                      size_t shortest,
                      double penalty,
                      size_t *starts);

#endif
