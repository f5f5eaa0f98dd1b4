/* slow_ranks.h - finds ranks for which the others wait in a collective
 *
 * A collective ends at the same time on all ranks, so the rank that enters last spends
 * the least time in it. */
#ifndef PARSERS_CLUSTER_SLOW_RANKS_H
#define PARSERS_CLUSTER_SLOW_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* Sets slow[i] for each rank whose duration is far below the others, by Dixon's test up
 * to 100 ranks, and below the mean by 3 standard deviations above. Returns the number.
 * Fewer than three ranks, or at most three different durations, decide nothing. */
size_t slow_ranks_of(const double *durations, size_t count, bool *slow);

/* The ratio of Dixon's test on the small side of sorted values; count is at least 3. */
double slow_ranks_dixon(const double *sorted, size_t count);
/* The ratio above which the smallest value is an outlier. */
double slow_ranks_limit(size_t count);

#endif
