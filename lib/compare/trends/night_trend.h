/* night_trend.h - a series of nightly values with what was found in it */
#ifndef LIB_COMPARE_TRENDS_NIGHT_TREND_H
#define LIB_COMPARE_TRENDS_NIGHT_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/verdict/trend/trend.h"
#include "lib/verdict/verdict.h"

/* The last nights against the anchor. */
struct night_trend_anchor {
    bool is_compared; /* false: the rest is 0 */
    double change;    /* natural logarithm of the last nights / anchor */
    struct verdict verdict;
};

/* A series. The texts and arrays are valid until the trends are destroyed. */
struct night_trend {
    const char *point, *kernel; /* "" for cards */
    const char *card;           /* "" for points, and when no card is pinned */
    const char *metric;
    const char *unit; /* "" for cards: relative to the usual value */
    uint64_t rank;
    const double *values; /* one per night; NaN: no value */
    size_t value_count;   /* nights with a value */
    double level;         /* median of the last level; NaN: no value */
    struct trend trend;   /* its numbers of nights are indices of `values` */
    struct night_trend_anchor anchor;
    bool more_is_better;
    bool simulated; /* a value is */
};

/* Change of the last boundary, positive is worse; 0: there is none. */
double night_trend_last_change(const struct night_trend *row);
/* Returns true when the last nights differ from the anchor. */
bool night_trend_drifts_from_anchor(const struct night_trend *row);
/* Returns true when the last level rises or falls, or when it differs from the anchor.
 */
bool night_trend_drifts(const struct night_trend *row);

#endif
