/* night_trends.h - one series of nightly values for each point, card or cell, and its
 * change points, spikes and drift
 *
 * A cell is a metric of a kernel and rank at a point, on one card when the job pins its
 * cards. Its value of a night is the median of its repeats, without those that are
 * disturbed. A point has the median of its cells; a card has the median, over its
 * cells, of their values relative to their own median of all nights.
 *
 * The anchor is a job or a frozen baseline that does not follow slow changes. Its value
 * of a repeat is made as that of a night. A series whose last nights differ from it by
 * the rule for a cell drifts.
 *
 * Order of calls: create; nights, oldest first, each with its figures; the jobs of the
 * anchor, if any, each with its figures; judge; rows. */
#ifndef LIB_COMPARE_TRENDS_NIGHT_TRENDS_H
#define LIB_COMPARE_TRENDS_NIGHT_TRENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/compare/figure.h"
#include "lib/compare/trends/night_trend.h"

struct night_trends;
struct baseline;

enum night_trends_level { TREND_OF_POINTS, TREND_OF_CARDS, TREND_OF_CELLS };

struct night_trends_settings {
    enum night_trends_level level;
    const char *metric;  /* pattern, borrowed for the call */
    double tolerance;    /* share: the least drift */
    double least_change; /* share: smaller changes are dropped */
};

struct night_trends *night_trends_create(const struct night_trends_settings *settings);
void night_trends_destroy(struct night_trends *trends); /* NULL is allowed */

void night_trends_begin_night(struct night_trends *trends, uint64_t job_id);
/* The figures that follow are those of a job of the anchor, without the points that the
 * rule (or NULL) of its baseline leaves out. */
void night_trends_begin_anchor_job(struct night_trends *trends,
                                   uint64_t job_id,
                                   const struct baseline *rule);
/* Ignores figures of other metrics, and those of the anchor that have no night. */
void night_trends_add(struct night_trends *trends,
                      const struct comparison_figure *figure);
/* Analyses all series. The splits of the baseline (or NULL) are known changes; those of
 * some points only do not count for cards. Series come first whose last level is worse
 * than the one before, the largest change first; then other changes, then drifts. */
void night_trends_judge(struct night_trends *trends, const struct baseline *baseline);

/* Returns the patterns of the metrics. */
const char *night_trends_metric(const struct night_trends *trends);
size_t night_trends_night_count(const struct night_trends *trends);
uint64_t night_trends_job_id(const struct night_trends *trends, size_t night);
size_t night_trends_count(const struct night_trends *trends);
const struct night_trend *night_trends_row(const struct night_trends *trends,
                                           size_t index);
/* Returns true when any series has a simulated value. */
bool night_trends_is_simulated(const struct night_trends *trends);
#endif
