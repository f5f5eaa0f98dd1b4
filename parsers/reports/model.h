/* model.h - the data of a job's report
 *
 * The caller adds all tasks, launches and figures of a job, then calls report_finish(),
 * which sorts them and computes medians. A work is one kernel of one shape. A shape is
 * a point without its card, so that cards can be compared on the same work. A series is
 * one work on one card. */
#ifndef PARSERS_REPORTS_MODEL_H
#define PARSERS_REPORTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/reports/measures.h"

struct report_job {
    uint64_t job_id;
    const char *key;
    const char *name;
    const char *yaml; /* text of the job file */
    const char *file_name;
    const char *user;
    const char *state;
    const char *reason;          /* of the state, or "" */
    const char *compare_against; /* of the job file, or "" */
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
    double
        seconds; /* of the newest attempt, set by report_finish(); 0: did not start */
};

/* When a rank of an attempt ran. */
struct report_rank_time {
    uint64_t point, repeat, attempt;
    uint64_t started_wall_ns, ended_wall_ns;
};

/* One launch of a kernel by one rank of a task. Its figures follow. */
struct report_launch {
    uint64_t point, repeat, run_id;
    uint32_t rank;
    uint64_t launch;
    uint32_t device;
    const char *point_text;
    const char *kernel;
    const char *host;
    const char *model;
    const char *serial; /* "": unknown */
    uint64_t card;
    bool simulated;
};

struct report_card {
    const char *host;
    const char *model;
    const char *serial;
    uint64_t card;
    size_t series_count;
    double ratio; /* geometric mean over its series; 1.02: two percent slower */
};

struct report_series {
    size_t work; /* position in report_works() */
    size_t card; /* position in report_cards() */
    const char *shape;
    const char *kernel;
    bool simulated;
    double *values_us; /* ascending */
    size_t count;
    double median_us;
    double spread;         /* (max - min) / median */
    double ratio;          /* its median / the median of all cards on this work */
    const char *data_path; /* visualize_data.bin of the launch below, or NULL */
    /* the launch nearest to the median */
    uint64_t point, repeat, run_id, launch;
    uint32_t rank, device;
};

struct report_work {
    const char *shape;
    const char *kernel;
    double median_us; /* over all cards */
    size_t first_series, series_count;
    size_t ranks; /* ranks of a task */
    bool simulated;
    double measures[REPORT_MEASURES]; /* medians; NaN: not measured */
    const char *timeline_path;        /* merged timeline of all ranks, or NULL */
};

/* One rank of a work with several ranks; medians over the repeats, NaN: not measured.
 */
struct report_rank {
    size_t work;
    uint32_t rank;
    size_t card; /* of its last launch */
    double duration_us;
    double compute_us, transfer_us, wait_us; /* parts of the duration */
    double wait_share;                       /* of the duration, in percent */
    double tokens, imbalance; /* rows of its experts, those of the busiest / mean */
};

enum step_measure {
    STEP_MEASURE_COUNT,
    STEP_MEASURE_SERVICE, /* means, in us */
    STEP_MEASURE_BUSY,    /* ratio */
    STEP_MEASURE_PRELAUNCH,
    STEP_MEASURE_INTERNAL,
    STEP_MEASURE_TAIL,
    STEP_MEASURES,
};

/* Steps with the same sequence of kernels, of a program that profiled itself. */
struct report_steps {
    const char *shape, *kernel; /* step_group_<N> */
    uint32_t rank;
    uint64_t run_id, point, repeat;
    double measures[STEP_MEASURES]; /* NaN: unknown */
    const char *anomalies;          /* "TAG: steps, TAG: steps"; "": none */
    const char *analysis_path;      /* analysis.html, or NULL */
};

/* Versions that ranks of the job had; "": unknown. */
struct report_environment {
    const char *chip, *cann, *driver, *firmware, *host_kernel, *measurement;
    bool simulated;
    size_t ranks; /* that had these versions; counted by the report */
};

struct gang_figures;
/* How the launches of a kernel ran on their cards. */
struct report_kernel {
    const char *kernel, *group_found, *restored;
    uint64_t launches; /* of all ranks */
};

/* One advice on a kernel in a point, or one note about its measurement. */
struct report_advice {
    uint64_t point;
    const char *point_text, *kernel, *text;
    uint64_t launches; /* of all ranks and repeats, that have this text */
};

struct report;

/* These functions copy all texts. */
struct report *report_create(const struct report_job *job);
void report_destroy(struct report *report); /* NULL is allowed */
void report_add_task(struct report *report, const struct report_task *task);
void report_add_rank_time(struct report *report, const struct report_rank_time *time);
void report_add_launch(struct report *report, const struct report_launch *launch);
/* Adds a figure of the launch that was added last. Unknown metrics are ignored. */
void report_add_figure(struct report *report, const char *metric, double value);
/* Adds the versions of one rank. */
void report_add_environment(struct report *report,
                            const struct report_environment *environment);
/* Adds the launches of a kernel that ran in the same way. */
void report_add_kernel(struct report *report, const struct report_kernel *kernel);
/* Adds the advice on launches: its text has a line for each. Call it for all launches
 * of a kernel in a point before the next kernel. */
void report_add_advice(struct report *report, const struct report_advice *advice);
/* Adds notes about the measurement of launches, likewise. */
void report_add_note(struct report *report, const struct report_advice *note);
/* Sets the verdict of `muster gate` on this job, `code=4 against=nightly: sentence`; a
 * later one replaces it with its suspects. */
void report_set_gate(struct report *report, const char *text);
/* Adds the sentence about a suspect of the verdict. */
void report_add_suspect(struct report *report, const char *text);
/* Sets the time at which the last rank ended. It is the end of a job that has ended but
 * has no stored time yet; without a rank the time of its submission is. */
void report_set_last(struct report *report, uint64_t wall_ms);
void report_finish(struct report *report);
/* Adds an output file of a rank, after report_finish(). The path is relative to the
 * folder of the task. Files without a place in the report are ignored. */
void report_add_output(struct report *report,
                       uint64_t run_id,
                       uint32_t rank,
                       const char *path);

/* The figures of a job on several cards, which the analyses of lib/gang read; NULL: a
 * task has one card. The caller adds figures and replays of tasks with a result;
 * report_finish() finishes them. */
struct gang_figures *report_gang(const struct report *report);
/* Returns whether the task, which was added before, has a result. */
bool report_has_result(const struct report *report, uint64_t point, uint64_t repeat);

const struct report_job *report_job(const struct report *report);
size_t report_task_count(const struct report *report);
size_t report_good_count(const struct report *report);
uint64_t report_last_wall_ms(const struct report *report); /* 0: no rank has ended */
bool report_is_complete(const struct report *report);
/* Return true when any figure was simulated or measured. Both are true when a job ran
 * on real and simulated cards. */
bool report_has_simulated(const struct report *report);
bool report_has_measured(const struct report *report);
/* Returns true when the task has a result. */
bool report_task_is_good(const struct report_task *task);
/* Return all tasks, or those without a result, which are the first; each kind is sorted
 * by point and repeat. */
const struct report_task *report_tasks(const struct report *report, size_t *count);
const struct report_task *report_bad_tasks(const struct report *report, size_t *count);
/* Sorted by kernel and shape. */
const struct report_work *report_works(const struct report *report, size_t *count);
/* Sorted by work and card. */
const struct report_series *report_series(const struct report *report, size_t *count);
/* Sorted by host and number. */
const struct report_card *report_cards(const struct report *report, size_t *count);
/* Sorted by work and rank. */
const struct report_rank *report_ranks(const struct report *report, size_t *count);
/* In the order in which they were added. */
const struct report_steps *report_steps(const struct report *report, size_t *count);
/* In the order in which they were added. */
const struct report_environment *report_environments(const struct report *report,
                                                     size_t *count);
/* In the order in which they were added. */
const struct report_kernel *report_kernels(const struct report *report, size_t *count);
const struct report_advice *report_advice(const struct report *report, size_t *count);
const struct report_advice *report_notes(const struct report *report, size_t *count);
/* Return the verdict of a gate, NULL: none, and its suspects. */
const char *report_gate(const struct report *report);
const char *const *report_suspects(const struct report *report, size_t *count);
/* Returns a line such as "complete, 36 of 36 tasks". */
const char *report_verdict(const struct report *report);

#endif
