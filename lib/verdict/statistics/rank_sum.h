/* rank_sum.h - the rank-sum test of two samples (Wilcoxon, Mann and Whitney)
 *
 * Up to RANK_SUM_EXACT values in both samples the probabilities are exact, also with
 * ties: shares of all ways to choose the second sample from the pooled values. Above,
 * they come from the normal distribution with corrections for ties and continuity.
 *
 * Samples with the same counts and ties have the same distribution. A cache keeps the
 * distributions that were used last; it has a fixed number of places. */
#ifndef LIB_VERDICT_STATISTICS_RANK_SUM_H
#define LIB_VERDICT_STATISTICS_RANK_SUM_H

#include <stddef.h>

enum { RANK_SUM_EXACT = 40 };

struct rank_sum_cache;

struct rank_sum_cache *rank_sum_cache_create(void);
void rank_sum_cache_destroy(struct rank_sum_cache *cache); /* NULL is allowed */

struct rank_sum_p {
    double above; /* probability of a rank sum of `fresh` as high as this or higher */
    double below; /* as low as this or lower */
};

/* Tests `fresh` (m values) against `base` (n values). Values must not be NaN. Both
 * probabilities are 1 when a sample is empty. */
struct rank_sum_p rank_sum_test(struct rank_sum_cache *cache,
                                const double *base,
                                size_t n,
                                const double *fresh,
                                size_t m);

/* Returns the largest k with P(U <= k - 1) <= alpha, where U is the number of pairs in
 * which base is above fresh, without ties. The k-th smallest and the k-th largest of
 * the n * m differences are the ends of an interval of coverage 1 - 2 alpha or more. 0:
 * the samples are too small for an interval. */
size_t
rank_sum_interval(struct rank_sum_cache *cache, size_t n, size_t m, double alpha);

/* Returns P(U <= u) without ties. n + m must not exceed RANK_SUM_EXACT. */
double rank_sum_probability(size_t n, size_t m, size_t u);

#endif
