/* lateness.h - whether one rank is the last of its group too often for chance */
#ifndef LIB_VERDICT_CAUSE_LATENESS_H
#define LIB_VERDICT_CAUSE_LATENESS_H

#include <stddef.h>

/* Returns the probability that some rank of `ranks` is last in at least `last` of
 * `collectives` by chance: N * P(Bin(n, 1/N) >= k), at most 1. Returns 1 when there is
 * nothing to decide: fewer than 2 ranks, or no collective. */
double lateness_p(size_t ranks, size_t collectives, size_t last);

#endif
