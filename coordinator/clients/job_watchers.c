#include "coordinator/clients/job_watchers.h"

#include <stdlib.h>

#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/net/outbox.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/query/store_rows.h"

enum { WATCHERS_MAX = 1000 };

struct watcher {
    struct watcher *next;
    struct peer peer;
    uint64_t job_id;
};

struct job_watchers {
    struct ledger *ledger;
    const struct fleet *fleet;
    struct outbox *outbox;
    struct link *link;
    struct watcher *first; /* the oldest */
};

struct job_watchers *job_watchers_create(struct ledger *ledger,
                                         const struct fleet *fleet,
                                         struct outbox *outbox,
                                         struct link *link)
{
    struct job_watchers *watchers = xcalloc(1, sizeof(*watchers));

    watchers->ledger = ledger;
    watchers->fleet = fleet;
    watchers->outbox = outbox;
    watchers->link = link;
    return watchers;
}

static void remove_watcher(struct watcher **at)
{
    struct watcher *watcher = *at;

    *at = watcher->next;
    free(watcher);
}

void job_watchers_destroy(struct job_watchers *watchers)
{
    if (!watchers)
        return;
    while (watchers->first)
        remove_watcher(&watchers->first);
    free(watchers);
}

/* Returns the number of tasks of the job whose program runs. */
static uint64_t count_started(const struct workers *workers,
                              const struct ledger_job *job)
{
    uint64_t count = 0;

    for (const struct worker *worker = workers->first; worker; worker = worker->next) {
        const struct attempt_rank *rank = worker->ranks; /* that runs, or is next */

        count += rank && rank->number == 0 && rank->state == RANK_STATE_RUNNING &&
                 rank->attempt->task->job == job;
    }
    return count;
}

static void send_progress(const struct job_watchers *watchers,
                          const struct peer *peer,
                          const struct ledger_job *job)
{
    bool final = job_state_is_final(job->state);
    const struct msg_job_progress progress = {
        .job_id = job->job_id,
        .job_key = job->key,
        .state = job_state_name(job->state),
        .final = final,
        .exit_code = final ? store_rows_exit_code(job->state, job->counts[TASK_FAILED],
                                                  job->counts[TASK_CANCELLED])
                           : 0,
        .tasks = job_task_count(job->job),
        .waiting = job->counts[TASK_WAITING],
        .running = job->counts[TASK_LEASED],
        .parsing = job->counts[TASK_PARSING],
        .done = job->counts[TASK_DONE],
        .failed = job->counts[TASK_FAILED],
        .cancelled = job->counts[TASK_CANCELLED],
        .workers = watchers->fleet->workers.count,
        .note = job->note,
        .out = job->out,
        .started = count_started(&watchers->fleet->workers, job),
    };

    outbox_send(watchers->outbox, watchers->link, peer, MSG_JOB_PROGRESS, &progress);
}

/* Adds a watcher unless it is in the list already. At WATCHERS_MAX the oldest is
 * removed: most such clients have left, and a client that waits asks again. */
static void
append(struct job_watchers *watchers, const struct peer *peer, uint64_t job_id)
{
    struct watcher **at = &watchers->first;
    size_t count = 0;

    for (; *at; at = &(*at)->next, count++)
        if ((*at)->job_id == job_id && peer_is_same(&(*at)->peer, peer))
            return;
    if (count >= WATCHERS_MAX) {
        if (at == &watchers->first->next)
            at = &watchers->first;
        remove_watcher(&watchers->first);
    }
    *at = xcalloc(1, sizeof(**at));
    (*at)->peer = *peer;
    (*at)->job_id = job_id;
}

void job_watchers_add(struct job_watchers *watchers,
                      const struct peer *peer,
                      const struct ledger_job *job)
{
    append(watchers, peer, job->job_id);
    send_progress(watchers, peer, job);
}

void job_watchers_notify(struct job_watchers *watchers)
{
    for (struct watcher **at = &watchers->first; *at;) {
        struct watcher *watcher = *at;
        const struct ledger_job *job =
            ledger_find_job(watchers->ledger, watcher->job_id);

        if (job && job->changed)
            send_progress(watchers, &watcher->peer, job);
        if (!job || job_state_is_final(job->state))
            remove_watcher(at);
        else
            at = &watcher->next;
    }
    for (struct ledger_job *job = ledger_first_job(watchers->ledger); job;
         job = job->next)
        job->changed = false;
}
