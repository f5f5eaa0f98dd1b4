/* false_discovery.h - adjusts the probabilities of a family of tests
 * (Benjamini-Hochberg)
 *
 * When every test with an adjusted probability of at most q is accepted, the expected
 * share of false ones among them is at most q. */
#ifndef LIB_VERDICT_STATISTICS_FALSE_DISCOVERY_H
#define LIB_VERDICT_STATISTICS_FALSE_DISCOVERY_H

#include <stddef.h>

/* Writes min over j >= i of p(j) * M / j, at most 1, for the i-th smallest of the M
 * probabilities, in the order of the input. NaN stays NaN and does not count in M. `p`
 * and `adjusted` may be the same array. */
void false_discovery_adjust(const double *p, size_t count, double *adjusted);

/* Returns the factor by which all adjusted values grow when the tests may depend on
 * each other in any way: 1 + 1/2 + ... + 1/count. */
double false_discovery_dependence(size_t count);

#endif
