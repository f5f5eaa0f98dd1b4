/* night_trends.h - one series of nightly values for each point, card or cell, and its
 * change points, spikes and drift
 *
 * A cell is a metric of a kernel and rank at a point, on one card when the job pins its
 * cards. Its value of a night is the median of its repeats. A point has the median of
 * its cells; a card has the median, over its cells, of their values relative to their
 * own median of all nights.
 *
 * Order of calls: create; nights, oldest first, each with its figures; judge; rows. */
#ifndef LIB_COMPARE_NIGHT_TRENDS_H
#define LIB_COMPARE_NIGHT_TRENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/compare/figure.h"
#include "lib/verdict/trend/trend.h"

struct night_trends;
struct baseline;

enum night_trends_level { TREND_OF_POINTS, TREND_OF_CARDS, TREND_OF_CELLS };

struct night_trends_settings {
    enum night_trends_level level;
    const char *metric;  /* pattern, borrowed for the call */
    double tolerance;    /* share: the least drift */
    double least_change; /* share: smaller changes are dropped */
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
    bool more_is_better;
    bool simulated; /* a value is */
};

struct night_trends *night_trends_create(const struct night_trends_settings *settings);
void night_trends_destroy(struct night_trends *trends); /* NULL is allowed */

void night_trends_begin_night(struct night_trends *trends, uint64_t job_id);
/* Ignores figures of other metrics. */
void night_trends_add(struct night_trends *trends,
                      const struct comparison_figure *figure);
/* Analyses all series. The splits of the baseline (or NULL) are known changes; those of
 * some points only do not count for cards. Series come first whose last level is worse
 * than the one before, the largest change first; then other changes, then drifts. */
void night_trends_judge(struct night_trends *trends, const struct baseline *baseline);

size_t night_trends_night_count(const struct night_trends *trends);
uint64_t night_trends_job_id(const struct night_trends *trends, size_t night);
size_t night_trends_count(const struct night_trends *trends);
const struct night_trend *night_trends_row(const struct night_trends *trends,
                                           size_t index);
/* Returns true when any series has a simulated value. */
bool night_trends_is_simulated(const struct night_trends *trends);
/* Change of the last boundary, positive is worse; 0: there is none. */
double night_trend_last_change(const struct night_trend *row);

#endif
