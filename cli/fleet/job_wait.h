/* job_wait.h - waits until a job ends, on a coordinator or on a store
 *
 * Shows the progress on stderr, and the tasks that failed at the end. */
#ifndef CLI_FLEET_JOB_WAIT_H
#define CLI_FLEET_JOB_WAIT_H

#include "cli/fleet/follow.h"
#include "cli/query/row_source.h"

struct job_wait_options {
    const char *job_arg, *out; /* for error texts */
    uint64_t timeout_ms;       /* UINT64_MAX: no limit */
    bool quiet;                /* no progress */
};

/* Returns 0 when the job has ended or result->interrupted is true. */
int job_wait(struct row_source *source,
             uint64_t job_id,
             const struct job_wait_options *options,
             struct follow_result *result,
             struct err *err);

#endif
