/* compared_jobs.h - finds the two jobs of a comparison and reads their figures
 *
 * The rows come from a coordinator or from a store (row_source.h). */
#ifndef CLI_COMPARE_COMPARED_JOBS_H
#define CLI_COMPARE_COMPARED_JOBS_H

#include <stdint.h>

#include "cli/query/row_source.h"
#include "lib/compare/comparison.h"

struct compared_job {
    uint64_t job_id;
    char *key, *state;
    /* the settings of its key `compare`; "": it has none */
    char *against, *metric;
    double tolerance;
};

void compared_job_clear(struct compared_job *job);
/* Finds a job by its number, key or unique name. */
int compared_job_find(struct compared_job *job,
                      struct row_source *source,
                      const char *job_arg,
                      struct err *err);
/* Finds the job that compare.against of the new job names: the newest one before it
 * that is done. */
int compared_job_find_base(struct compared_job *base,
                           struct row_source *source,
                           const struct compared_job *fresh,
                           struct err *err);

/* Adds the tasks and figures of both jobs to the comparison: of points that match the
 * pattern, with at most `nights` nights up to the base. */
int compared_jobs_read(struct comparison *comparison,
                       struct row_source *source,
                       const struct compared_job *base,
                       const struct compared_job *fresh,
                       const char *points,
                       uint64_t nights,
                       struct err *err);

#endif
