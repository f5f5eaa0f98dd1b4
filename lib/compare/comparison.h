/* comparison.h - compares the figures of two jobs, cell by cell
 *
 * A cell is one metric of one kernel and rank at one point, on one card when the job
 * pins its cards (`cards.ids`), otherwise on all cards together. Each repeat gives one
 * value: the median of its launches, because launches of one process are not
 * independent. lib/verdict judges the values of a cell.
 *
 * Earlier jobs of the base, its nights, show how much the figures of equal programs
 * differ from night to night. Nights that were measured by another method (method.h) do
 * not count; when both sides were measured differently, the cell is inconclusive.
 * With at least five of them a change must exceed this
 * noise. When the base is a baseline (baseline.h), its nights are the base as well.
 *
 * The texts of methods are valid until the next task or night.
 *
 * Order of calls: create; for both jobs their tasks, then their figures; figures of the
 * nights; judge; rows. With a baseline only the new job is added. */
#ifndef LIB_COMPARE_COMPARISON_H
#define LIB_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/compare/figure.h"

struct baseline;
struct comparison;
struct verdict_limits;

enum { COMPARISON_NIGHTS_FEWEST = 5 }; /* fewer show no noise between nights */

enum comparison_side { COMPARISON_BASE, COMPARISON_NEW };

/* How the cells of a point and metric are judged. */
struct comparison_rule {
    double tolerance; /* share: 0.02 */
    bool more_is_better;
};
/* Changes the rule, which is filled with the defaults. `point` is the text of a task.
 */
typedef void comparison_rule_fn(struct comparison_rule *rule,
                                const char *point,
                                const char *metric,
                                void *arg);

struct comparison_settings {
    const char *metric;              /* patterns, divided by |; borrowed */
    double tolerance;                /* share: 0.02 */
    const struct baseline *baseline; /* the base, borrowed; NULL: a job */
    uint64_t new_job_id;             /* decides with a baseline which nights count */
    const struct verdict_limits *limits; /* borrowed; NULL: verdict_limits_default */
    comparison_rule_fn *rule;            /* NULL: the defaults for all cells */
    void *rule_arg;
};

/* A task of a job: it shows which repeats the job contains. */
struct comparison_task {
    const char *point; /* its text: m=1024 card=3 */
    uint64_t repeat;
    bool done; /* figures of a task that is not done are ignored */
};

enum comparison_outcome {
    OUTCOME_REGRESSED,
    OUTCOME_IMPROVED,
    OUTCOME_SAME,
    OUTCOME_INCONCLUSIVE,
    OUTCOME_NOT_MEASURED, /* the new job asked for it and has no value */
    OUTCOME_GONE,         /* the new job does not contain it */
    OUTCOME_ADDED,        /* the base does not contain it */
    OUTCOME_COUNT,
};

/* One judged cell. The texts are valid until the comparison is destroyed. Shifts are
 * natural logarithms of new/base, positive is worse; NaN: unknown. */
struct comparison_row {
    enum comparison_outcome outcome;
    const char *point, *kernel, *metric, *unit;
    const char *card; /* "": the job does not pin its cards */
    const char *host;
    const char *task_point; /* text of the point as in the job, with its card */
    /* Serial and host of the card of the new figures; "": they come from several cards.
     */
    const char *placed_serial, *placed_host;
    uint64_t rank;
    bool more_is_better;
    size_t base_count, new_count; /* repeats with a value */
    size_t missing; /* repeats that the new job asked for and has not done */
    double base_median, new_median;
    double shift, low, high;
    double p_worse, p_better, p_worse_adjusted, p_better_adjusted;
    double margin;       /* a natural logarithm */
    size_t nights;       /* nights that show the noise between nights */
    double night_spread; /* standard deviation of their logarithms; 0: unknown */
    double night_noise;  /* a night differs by less in 99 % of all cases, one side */
    double usual_night_noise; /* likewise in 95 % */
    const char *reason;  /* of an inconclusive cell, and why repeats were left out */
    const char *leaning; /* worse, better or "" */
    bool differs;        /* the sides differ, though less than the margin */
    bool nights_unknown; /* the margin does not contain the noise between nights */
    size_t more;         /* the fewest further repeats that would decide; 0: unknown */
    const char *quarantine;  /* reason: the cell is shown and not counted; or "" */
    bool simulated;          /* a value of either side is simulated */
    bool measured_otherwise; /* the sides cannot be compared */
};

struct comparison *comparison_create(const struct comparison_settings *settings);
void comparison_destroy(struct comparison *comparison); /* NULL is allowed */

/* Returns the pattern of the metrics. */
const char *comparison_metric(const struct comparison *comparison);
/* Returns the limits by which cells, and their groups, are judged. */
const struct verdict_limits *comparison_limits(const struct comparison *comparison);

void comparison_add_task(struct comparison *comparison,
                         enum comparison_side side,
                         const struct comparison_task *task);
/* Ignores figures of other metrics, except the mark of disturbed launches
 * (disturbance.h). The figures of a task must be added one after the other. */
void comparison_add_figure(struct comparison *comparison,
                           enum comparison_side side,
                           const struct comparison_figure *figure);

/* Begins the night of this job. A base job is a night as well. */
void comparison_begin_night(struct comparison *comparison, uint64_t job_id);
/* Adds a figure of the night. Cells that neither job contains are ignored, so the
 * figures of the jobs come first. With a baseline all cells are added, unless the
 * baseline does not use the night for the point. */
void comparison_add_night(struct comparison *comparison,
                          const struct comparison_figure *figure);

/* Judges all cells and sorts them: regressed and improved ones first and equal ones
 * last, then the largest shift first. Cells in quarantine are judged apart and come
 * last. */
void comparison_judge(struct comparison *comparison);
size_t comparison_count(const struct comparison *comparison);
struct comparison_row comparison_row(const struct comparison *comparison, size_t index);
/* Number of cells with this outcome that are not in quarantine. */
size_t comparison_total(const struct comparison *comparison,
                        enum comparison_outcome outcome);
/* Number of cells in quarantine. */
size_t comparison_quarantined(const struct comparison *comparison);
/* Number of repeats that the new job asked for and has not done, over all its tasks
 * that are not in quarantine. */
size_t comparison_missing(const struct comparison *comparison);

/* Returns true when any cell has a simulated figure. */
bool comparison_is_simulated(const struct comparison *comparison);

const char *comparison_outcome_name(enum comparison_outcome outcome);

#endif
