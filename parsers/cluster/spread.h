/* spread.h - how far the ranks of a capture are apart */
#ifndef PARSERS_CLUSTER_SPREAD_H
#define PARSERS_CLUSTER_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct spread {
    size_t highest, lowest; /* places of the values */
    double gap;             /* highest - lowest */
    double ratio;           /* gap divided by the mean of the totals */
    double own_ratio;       /* gap divided by the mean of the values */
    double mean;
    bool is_issue;     /* ratio above 5 % */
    bool is_own_issue; /* own_ratio of at least 5 % */
};

/* Totals: the sum of all compared times of each place; may be NULL, then ratio is 0. */
struct spread spread_of(const double *values, const double *totals, size_t count);

#endif
