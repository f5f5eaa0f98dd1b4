/* compared_jobs.h - finds the two jobs of a comparison and reads their figures
 *
 * The base is a job or a baseline. The rows come from a coordinator or from a store
 * (row_source.h). */
#ifndef CLI_COMPARE_COMPARED_JOBS_H
#define CLI_COMPARE_COMPARED_JOBS_H

#include <stdint.h>

#include "cli/compare/stored_baseline.h"
#include "cli/query/row_source.h"
#include "lib/compare/comparison.h"

struct compared_job {
    uint64_t job_id;
    char *key, *state;
    /* the settings of its key `compare`; "": it has none */
    char *against, *metric;
    double tolerance;
    uint64_t submitted_wall_ns;
};

struct compared_base {
    struct stored_baseline baseline; /* rule NULL: the base is a job */
    struct compared_job job;
};

void compared_job_clear(struct compared_job *job);
/* Finds a job by its number, key or unique name. */
int compared_job_find(struct compared_job *job,
                      struct row_source *source,
                      const char *job_arg,
                      struct err *err);
/* Finds the base of this name: a baseline, else a job. NULL: what compare.against of
 * the new job names, which is a baseline, else the newest job of that name before it
 * that is done. */
int compared_base_find(struct compared_base *base,
                       struct row_source *source,
                       const char *name,
                       const struct compared_job *fresh,
                       struct err *err);
void compared_base_clear(struct compared_base *base);
/* Name of the baseline or key of the job. */
const char *compared_base_name(const struct compared_base *base);
/* Returns the job whose environment and code count as those of the base: the base, or
 * the newest night of the baseline that a comparison of the new job uses; 0: none. */
uint64_t compared_base_newest(const struct compared_base *base,
                              const struct compared_job *fresh);

/* The points and cards to compare: patterns. A card matches by HOST, HOST:CARD or
 * serial number. */
struct compared_part {
    const char *points, *cards;
};
extern const struct compared_part compared_everything;

/* Adds the tasks and figures of both jobs to the comparison. A base job has at most
 * `nights` nights; a baseline has the nights of its rule, and the comparison was
 * created with it. */
int compared_jobs_read(struct comparison *comparison,
                       struct row_source *source,
                       const struct compared_base *base,
                       const struct compared_job *fresh,
                       const struct compared_part *part,
                       uint64_t nights,
                       struct err *err);

/* Adds the tasks and figures of one job to the comparison, as those of its new job. */
int compared_night_read(struct comparison *comparison,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err);

#endif
