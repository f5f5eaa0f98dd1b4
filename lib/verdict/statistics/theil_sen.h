/* theil_sen.h - a straight line that outliers do not move, and a test for a trend */
#ifndef LIB_VERDICT_STATISTICS_THEIL_SEN_H
#define LIB_VERDICT_STATISTICS_THEIL_SEN_H

#include <stddef.h>

/* Up to this number of points all pairs are used. Longer series use only the pairs that
 * are half the series apart (Theil's abbreviated form), so the time stays linear. */
enum { THEIL_SEN_ALL_PAIRS = 1024 };

struct line {
    double slope;     /* median slope of the pairs with different x; NaN: none */
    double intercept; /* median of y - slope * x */
};

/* Fits y over x; all values must be finite. */
struct line theil_sen_fit(const double *x, const double *y, size_t count);

/* Returns the two-sided probability of a trend as clear as this one in a series without
 * trend (Mann-Kendall: normal, with corrections for ties and continuity). 1 for fewer
 * than 3 values, and when all values are equal. Of a series of more than
 * THEIL_SEN_ALL_PAIRS values the last ones are tested. */
double mann_kendall_p(const double *values, size_t count);

#endif
