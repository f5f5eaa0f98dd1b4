/* scheduler_explain.c - explains to users why a task waits or where it runs */
#include <inttypes.h>
#include <stdlib.h>

#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/placement/scheduler_internal.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

static void explain_attempt(const struct attempt *attempt, struct text *out)
{
    static const char *const words[] = {
        [RANK_STATE_LEASED] = "is leased to", [RANK_STATE_RUNNING] = "runs on",
        [RANK_STATE_LOST] = "was lost on",    [RANK_STATE_REFUSED] = "was refused by",
        [RANK_STATE_ENDED] = "has ended on",
    };

    text_printf(out, "is in attempt %u:", attempt->task->attempts);
    for (uint32_t i = 0; i < attempt->rank_count; i++) {
        const struct attempt_rank *rank = &attempt->ranks[i];

        text_printf(out, "%s rank %u %s %s:%d", i ? "," : "", i, words[rank->state],
                    rank->host, rank->card);
    }
    if (attempt->state == ATTEMPT_ENDING)
        text_printf(out, "; all ranks are being stopped because of rank %u: %s",
                    attempt->failure.rank, attempt->failure.reason);
}

/* Names the tasks of the same job and the other jobs that are served before this task.
 */
static void explain_order(const struct scheduler_view *view,
                          const struct task *task,
                          struct text *out)
{
    uint64_t before = 0;
    size_t count;
    struct ledger_job **jobs = scheduler_order_jobs(view, &count);

    for (uint64_t i = 0; i < task->job->task_count; i++) {
        const struct task *other = &task->job->tasks[i];

        before +=
            other->state == TASK_WAITING && other->waiting.place < task->waiting.place;
    }
    if (before > 0)
        text_printf(out, "; %" PRIu64 " task%s of the same job %s served first", before,
                    before == 1 ? "" : "s", before == 1 ? "is" : "are");
    for (size_t i = 0; i < count && jobs[i] != task->job; i++)
        text_printf(out, "%s%s", i == 0 ? "; jobs that are served first: " : ", ",
                    jobs[i]->key);
    free(jobs);
}

static void explain_drains(const struct scheduler_view *view, struct text *out)
{
    bool any = false;

    for (const struct worker *worker = view->fleet->workers.first; worker;
         worker = worker->next) {
        const char *reason =
            drains_find(view->fleet->drains, worker->host, worker->card);

        if (reason)
            text_printf(out, "%s %s:%d (%s)", any ? "," : "; drained:", worker->host,
                        worker->card, reason);
        any |= reason != NULL;
    }
}

static void explain_reservations(const struct scheduler_view *view, struct text *out)
{
    bool any = false;

    for (const struct worker *worker = view->fleet->workers.first; worker;
         worker = worker->next) {
        const struct attempt_rank *rank = worker->ranks;

        if (!worker->reserved_for_gang || !rank)
            continue;
        text_printf(out, "%s %s:%d (runs %s point %" PRIu64 ")",
                    any ? "," : "; reserved for a gang, but still busy:", worker->host,
                    worker->card, rank->attempt->task->job->key,
                    rank->attempt->task->point);
        any = true;
    }
}

static void explain_dependencies(const struct scheduler_view *view,
                                 const struct ledger_job *job,
                                 struct text *out)
{
    for (size_t i = 0; i < job->after_count; i++) {
        const struct ledger_job *other = ledger_find_job(view->ledger, job->after[i]);

        text_printf(out, "%s %s (%s)", i ? "," : "waits for the end of", other->key,
                    job_state_name(other->state));
    }
}

/* Describes the cards that the task needs, and those that the fleet has. */
static void explain_cards(const struct scheduler_view *view,
                          const struct task *task,
                          struct text *out)
{
    const struct workers *workers = &view->fleet->workers;
    const struct job_settings settings = scheduler_settings_of(task);
    struct gang_fit_card *cards = xcalloc(workers->count + 1, sizeof(*cards));
    struct host_load *load = host_load_create(view->ledger);
    size_t count = 0;

    for (const struct worker *worker = workers->first; worker; worker = worker->next)
        if (!card_is_drained(worker->state))
            cards[count++] =
                scheduler_fit_card(worker, worker->state == CARD_IDLE, load, task->job);
    gang_fit_explain(out, cards, count, &settings);
    host_load_destroy(load);
    free(cards);
}

static void explain_waiting(const struct scheduler_view *view,
                            const struct task *task,
                            struct text *out)
{
    if (task->job->after_count > 0) {
        explain_dependencies(view, task->job, out);
        return;
    }
    text_add(out, "waits: ");
    if (task->waiting.card >= 0)
        text_printf(out, "runs only on cards with number %d%s; ", task->waiting.card,
                    workers_have_card(&view->fleet->workers, NULL, task->waiting.card)
                        ? ""
                        : ", and no connected worker has such a card");
    if (job_settings(task->job->job)->placed)
        scheduler_explain_places(view, task, out);
    else
        explain_cards(view, task, out);
    explain_reservations(view, out);
    explain_drains(view, out);
    explain_order(view, task, out);
    if (task->attempts > 0)
        text_printf(out, "; %u earlier attempt%s", task->attempts,
                    task->attempts == 1 ? "" : "s");
}

void scheduler_explain(const struct scheduler_view *view,
                       const struct task *task,
                       struct text *out)
{
    if (task->state == TASK_LEASED && task->attempt)
        explain_attempt(task->attempt, out);
    else if (task->state == TASK_WAITING)
        explain_waiting(view, task, out);
    else
        text_printf(out, "is %s", task_state_name(task->state));
}
