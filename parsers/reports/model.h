/* model.h - the data of a job's report
 *
 * The caller adds all tasks and durations of a job, then calls report_finish(), which
 * sorts the series and computes their figures. A series is one kernel of one shape on
 * one card. A shape is a point without its card, so that cards can be compared on the
 * same work. */
#ifndef PARSERS_REPORTS_MODEL_H
#define PARSERS_REPORTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_job {
    uint64_t job_id;
    const char *key;
    const char *name;
    const char *file_name;
    const char *user;
    const char *state;
    const char *reason; /* of the state, or "" */
    uint64_t submitted_wall_ms;
    bool has_ended;
    uint64_t ended_wall_ms; /* 0: has not ended, or ends with this report */
};

struct report_task {
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    const char *state;
    const char *reason; /* of the last attempt, or "" */
    uint64_t attempts;
};

struct report_duration {
    uint64_t point;
    uint64_t repeat;
    const char *point_text;
    const char *kernel;
    const char *host;
    const char *model;
    uint64_t card;
    double value_us;
    bool simulated;
};

struct report_series {
    const char *shape;
    const char *kernel;
    const char *host;
    const char *model;
    uint64_t card;
    double *values_us; /* ascending */
    size_t count;
    double median_us;
    double spread; /* (max - min) / median */
    double ratio;  /* its median / the median of all cards on this shape and kernel */
};

struct report_card {
    const char *host;
    const char *model;
    uint64_t card;
    size_t series_count;
    double ratio; /* geometric mean over its series; 1.02: two percent slower */
};

struct report;

/* These functions copy all texts. */
struct report *report_create(const struct report_job *job);
void report_destroy(struct report *report); /* NULL is allowed */
/* Adds a number of tasks that succeeded. */
void report_add_good(struct report *report, size_t count);
/* Adds a task without a result. */
void report_add_bad(struct report *report, const struct report_task *task);
void report_add_duration(struct report *report, const struct report_duration *row);
/* Sets the time at which the last rank ended. It is the end of a job that has ended but
 * has no stored time yet; without a rank the time of its submission is. */
void report_set_last(struct report *report, uint64_t wall_ms);
void report_finish(struct report *report);

const struct report_job *report_job(const struct report *report);
size_t report_task_count(const struct report *report);
size_t report_good_count(const struct report *report);
uint64_t report_last_wall_ms(const struct report *report); /* 0: no rank has ended */
bool report_is_complete(const struct report *report);
/* Return true when any figure was simulated or measured. Both are true when a job ran
 * on real and simulated cards. */
bool report_has_simulated(const struct report *report);
bool report_has_measured(const struct report *report);
/* Returns the tasks without a result by point and repeat. */
const struct report_task *report_bad_tasks(const struct report *report, size_t *count);
const struct report_series *report_series(const struct report *report, size_t *count);
const struct report_card *report_cards(const struct report *report, size_t *count);
/* Returns a line such as "complete, 36 of 36 tasks". */
const char *report_verdict(const struct report *report);

#endif
