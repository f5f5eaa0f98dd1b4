/* signed_rank.h - the signed-rank test of differences (Wilcoxon)
 *
 * Differences of 0 are dropped. Up to SIGNED_RANK_EXACT differences the probabilities
 * are exact, also with ties: shares of all 2^n ways to give signs to the ranks of the
 * distances. Above, they come from the normal distribution with corrections for ties
 * and continuity. */
#ifndef LIB_VERDICT_STATISTICS_SIGNED_RANK_H
#define LIB_VERDICT_STATISTICS_SIGNED_RANK_H

#include <stddef.h>

enum { SIGNED_RANK_EXACT = 50 };

struct signed_rank_p {
    double above; /* probability of a sum of positive ranks as high as this or higher */
    double below; /* as low as this or lower */
};

/* Tests whether the differences lie around 0. Values must not be NaN. Distances that
 * differ by at most `resolution` count as equal; 0 compares exactly. Both probabilities
 * are 1 when no difference is left. */
struct signed_rank_p
signed_rank_test(const double *differences, size_t count, double resolution);

/* Returns the largest k with P(sum <= k - 1) <= alpha, without ties. The k-th smallest
 * and the k-th largest average of two differences are the ends of an interval of
 * coverage 1 - 2 alpha or more. 0: there are too few differences for an interval. */
size_t signed_rank_interval(size_t count, double alpha);

/* Returns P(sum <= limit) without ties; count must not exceed SIGNED_RANK_EXACT. */
double signed_rank_probability(size_t count, size_t limit);

#endif
