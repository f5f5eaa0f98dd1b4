/* ledger_dependencies.c - jobs that start when other jobs have ended well
 *
 * The key `after` of a job file names other jobs. A name means the latest job of this
 * name at the time of the submit. Only jobs with smaller numbers are searched, so the
 * meaning stays after a restart, and no circle of dependencies is possible. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/store.h"

int ledger_dependencies_find(uint64_t **out,
                             size_t *count,
                             struct ledger *ledger,
                             const struct job *job,
                             uint64_t before,
                             bool lenient,
                             struct err *err)
{
    const struct job_list *names = &job_settings(job)->after;
    uint64_t *found = names->count ? xcalloc(names->count, sizeof(*found)) : NULL;

    *count = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        uint64_t job_id;
        enum job_state state;
        int result =
            store_job_find_before(ledger->store, name, before, &job_id, &state, err);

        if (result == 0 && !job_state_is_final(state))
            found[(*count)++] = job_id;
        else if (result == 0 && state != JOB_DONE && !lenient)
            result = err_set(err, ERR_INPUT,
                             "job %s (number %" PRIu64
                             ") has ended as %s, so this job would never start; run "
                             "that job again, or remove it from `after`",
                             name, job_id, job_state_name(state));
        if (result < 0 && !(lenient && err->code == ERR_NOT_FOUND)) {
            free(found);
            return -1;
        }
    }
    *out = found;
    return 0;
}

static bool remove_dependency(struct ledger_job *job, uint64_t job_id)
{
    size_t kept = 0;

    for (size_t i = 0; i < job->after_count; i++)
        if (job->after[i] != job_id)
            job->after[kept++] = job->after[i];
    bool waited = kept < job->after_count;
    job->after_count = kept;
    return waited;
}

int ledger_dependencies_ended(struct ledger *ledger,
                              const struct ledger_job *ended,
                              struct err *err)
{
    char reason[300];

    snprintf(reason, sizeof(reason), "waits for job %s, which has ended as %s",
             ended->key, job_state_name(ended->state));
    for (struct ledger_job *job = ledger->jobs; job; job = job->next) {
        if (job == ended || !remove_dependency(job, ended->job_id))
            continue;
        job->changed = true;
        if (ended->state != JOB_DONE && ledger_cancel_job(ledger, job, reason, err) < 0)
            return -1;
    }
    return 0;
}
