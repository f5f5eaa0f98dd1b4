/* stored_job.h - a job that the store below a folder of results has already */
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

/* The job that `word` means (a number, a key, or a name that only one has), or with
 * NULL the latest that has not ended. */
int stored_job_find(struct stored_job *job,
                    const char *out,
                    const char *word,
                    struct err *err);
void stored_job_clear(struct stored_job *job);

#endif
