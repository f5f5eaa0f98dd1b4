/* normal.h - the standard normal distribution */
#ifndef LIB_VERDICT_STATISTICS_NORMAL_H
#define LIB_VERDICT_STATISTICS_NORMAL_H

/* Returns P(Z >= z). */
double normal_above(double z);
/* Returns z with P(Z <= z) = p, for p between 0 and 1. */
double normal_quantile(double p);

#endif
