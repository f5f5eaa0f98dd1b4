/* baseline.h - the jobs that later jobs are compared with
 *
 * A baseline has nights: jobs that passed, and jobs that did not and are only kept for
 * the trend. A rolling baseline gets a night after each job that is compared with it; a
 * comparison uses the newest `keep` nights that passed. A frozen baseline never
 * changes, and a comparison uses all its nights.
 *
 * A split is a known change: for the points that match its pattern, the nights before
 * its job no longer count. Its job counts for these points even when it did not pass.
 * A split has no effect on comparisons of its own job and of older ones.
 *
 * A quarantine is for points that vary too much: they are measured and shown, and fail
 * nothing.
 *
 * Points are named by their key (point_key.h). */
#ifndef LIB_COMPARE_BASELINE_H
#define LIB_COMPARE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BASELINE_KEEP = 10,
    BASELINE_KEEP_LEAST = 5, /* fewer nights show no noise between nights */
    BASELINE_KEEP_MOST = 400,
    BASELINE_EXPIRY_DAYS = 30, /* of a rolling baseline without a new night */
    BASELINE_QUARANTINE_NIGHTS = 14,
};

struct baseline;

struct baseline_night {
    uint64_t job_id;
    bool passed;
    uint64_t ended_wall_ns; /* end of the job */
    /* a gate compared the job; cells with the code and environment of the base, and
     * those of them that regressed without a cause or were not reproduced */
    bool gated;
    uint64_t equal_cells, false_alarms;
};

/* keep 0: all */
struct baseline *baseline_create(bool frozen, uint64_t keep);
void baseline_destroy(struct baseline *baseline); /* NULL is allowed */

/* Each night has a larger number of the job than the one before. */
void baseline_add_night(struct baseline *baseline, const struct baseline_night *night);
void baseline_add_split(struct baseline *baseline, uint64_t job_id, const char *points);
void baseline_add_quarantine(struct baseline *baseline,
                             const char *points,
                             const char *reason);

size_t baseline_night_count(const struct baseline *baseline);
const struct baseline_night *baseline_night(const struct baseline *baseline,
                                            size_t index);

/* Returns the job that begins the level of the point before job `before`; 0: the level
 * has no beginning. */
uint64_t
baseline_level(const struct baseline *baseline, const char *point, uint64_t before);
/* Returns true when a comparison of job `before` uses the night of this job for the
 * point. `before` 0: a job after all nights. */
bool baseline_uses(const struct baseline *baseline,
                   const char *point,
                   uint64_t job_id,
                   uint64_t before);
/* Returns false when no point uses the night of this job, so that it need not be read.
 */
bool baseline_may_use(const struct baseline *baseline,
                      uint64_t job_id,
                      uint64_t before);
/* Returns the reason of the quarantine of the point, or NULL. */
const char *baseline_quarantine(const struct baseline *baseline, const char *point);
/* Returns true when a rolling baseline got no night that passed in the days before this
 * time, from jobs before job `before` (0: all). */
bool baseline_is_stale(const struct baseline *baseline,
                       uint64_t before,
                       uint64_t wall_ns);

#endif
