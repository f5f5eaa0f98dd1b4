#include "coordinator/ledger/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/log.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"
#include "lib/wire/messages.h"

int ledger_open(struct ledger **out,
                struct store *store,
                const char *store_folder,
                const char *out_folder,
                uint64_t await_until_ms,
                struct err *err)
{
    struct ledger *ledger = xcalloc(1, sizeof(*ledger));

    ledger->store = store;
    ledger->store_folder = xstrdup(store_folder);
    ledger->out = xstrdup(out_folder);
    ledger->attempts = map_create();
    ledger->parse_end = &ledger->parse_first;
    if (ledger_load(ledger, await_until_ms, err) < 0) {
        ledger_close(ledger);
        return err_wrap(err, "loading jobs");
    }
    *out = ledger;
    return 0;
}

void ledger_close(struct ledger *ledger)
{
    struct attempt *attempt;

    if (!ledger)
        return;
    for (size_t cursor = 0; (attempt = ledger_next_attempt(ledger, &cursor));
         cursor = 0)
        ledger_free_attempt(ledger, attempt);
    for (struct ledger_job *job = ledger->jobs, *next; job; job = next) {
        next = job->next;
        ledger_free_job(job);
    }
    map_destroy(ledger->attempts);
    free(ledger->store_folder);
    free(ledger->out);
    free(ledger);
}

bool ledger_has_changes(const struct ledger *ledger)
{
    return ledger->unwritten || store_has_changes(ledger->store);
}

int ledger_commit(struct ledger *ledger, struct err *err)
{
    if (store_check_place(ledger->store, err) < 0 ||
        ledger_store_attempts(ledger, err) < 0)
        return -1;
    for (struct ledger_job *job = ledger->jobs; job; job = job->next)
        if (job->captures && captures_has_changes(job->captures) &&
            captures_commit(job->captures, err) < 0)
            return err_wrap(err, "committing the captures of %s", job->key);
    return store_commit(ledger->store, err);
}

int ledger_cancel(struct ledger *ledger, struct ledger_job *job, struct err *err)
{
    return ledger_cancel_job(ledger, job, "cancelled", err);
}

int ledger_reported(struct ledger *ledger,
                    struct ledger_job *job,
                    bool good,
                    const char *error,
                    struct err *err)
{
    char reason[256] = "", ended[300];

    job->state = job_state_after_tasks(job->counts[TASK_FAILED] + !good,
                                       job->counts[TASK_CANCELLED]);
    if (!good)
        snprintf(reason, sizeof(reason), "report: %s", error);
    else if (job->state == JOB_FAILED)
        snprintf(reason, sizeof(reason), "%" PRIu64 " tasks failed",
                 job->counts[TASK_FAILED]);
    if (*reason)
        snprintf(job->note, sizeof(job->note), "%s", reason);
    job->changed = true;
    log_info("job ended: job=%s state=%s done=%" PRIu64 " failed=%" PRIu64
             " cancelled=%" PRIu64,
             job->key, job_state_name(job->state), job->counts[TASK_DONE],
             job->counts[TASK_FAILED], job->counts[TASK_CANCELLED]);
    if (store_job_set_state(ledger->store, job->job_id, job->state, reason,
                            ledger_wall_ms(), err) < 0)
        return -1;
    snprintf(ended, sizeof(ended), "%s%s%s", job_state_name(job->state),
             *reason ? ": " : "", reason);
    if (ledger_job_event(ledger, job, "job.ended", ended, err) < 0)
        return -1;
    return ledger_dependencies_ended(ledger, job, err);
}
