/* stored_job.h - reads a job from the store below a folder of results */
#ifndef CLI_APP_STORED_JOB_H
#define CLI_APP_STORED_JOB_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/store/states.h"

struct stored_job {
    uint64_t job_id;
    char *yaml, *key;
    enum job_state state;
};

/* Finds a job by number, key or a name that only one job has. NULL finds the latest job
 * that has not ended. */
int stored_job_find(struct stored_job *job,
                    const char *out,
                    const char *job_arg,
                    struct err *err);
void stored_job_clear(struct stored_job *job);

#endif
