#include "coordinator/ledger/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"
#include "lib/wire/messages.h"

uint64_t ledger_wall_ms(void)
{
    return clock_wall_ns() / 1000000;
}

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

static int write_attempt(struct ledger *ledger,
                         struct attempt *attempt,
                         const char *reason,
                         struct err *err)
{
    const struct store_attempt row = {
        .run_id = attempt->run_id,
        .state = attempt->state,
        .reason = reason,
        .started_wall_ms = attempt->started_wall_ms,
        .ended_wall_ms = attempt_state_is_final(attempt->state) ? ledger_wall_ms() : 0};

    ledger_mark_written(attempt);
    return store_attempt_move(ledger->store, &row, err);
}

int ledger_store_attempts(struct ledger *ledger, struct err *err)
{
    while (ledger->unwritten)
        if (write_attempt(ledger, ledger->unwritten, "", err) < 0)
            return -1;
    return 0;
}

bool ledger_has_changes(const struct ledger *ledger)
{
    return ledger->unwritten || store_has_changes(ledger->store);
}

int ledger_commit(struct ledger *ledger, struct err *err)
{
    if (ledger_store_attempts(ledger, err) < 0)
        return -1;
    for (struct ledger_job *job = ledger->jobs; job; job = job->next)
        if (job->captures && captures_has_changes(job->captures) &&
            captures_commit(job->captures, err) < 0)
            return err_wrap(err, "captures of %s", job->key);
    return store_commit(ledger->store, err);
}

/* The moves */

static int end_job_tasks(struct ledger *ledger, struct ledger_job *job, struct err *err)
{
    if (ledger_open_tasks(job) > 0 || job->state == JOB_PARSING)
        return 0;
    job->state = JOB_PARSING;
    job->report_due = true;
    return store_job_set_state(ledger->store, job->job_id, JOB_PARSING, "",
                               ledger_wall_ms(), err);
}

int ledger_step_task_unstored(struct task *task, enum task_event event, struct err *err)
{
    struct ledger_job *job = task->job;
    enum task_state before = task->state;

    if (!task_state_step(&task->state, event))
        return err_set(err, ERR_INTERNAL, "task %" PRIu64 " is %s: no move by event %d",
                       task->task_id, task_state_name(before), event);
    if (before == TASK_WAITING)
        task_queue_remove(job->queue, &task->waiting);
    if (task->state == TASK_WAITING)
        task_queue_push(job->queue, &task->waiting);
    job->counts[before]--;
    job->counts[task->state]++;
    job->changed = true;
    return 0;
}

int ledger_move_task(struct ledger *ledger,
                     struct task *task,
                     enum task_event event,
                     const char *reason,
                     struct err *err)
{
    struct ledger_job *job = task->job;

    if (ledger_step_task_unstored(task, event, err) < 0)
        return -1;
    if (*reason)
        snprintf(job->note, sizeof(job->note), "point %" PRIu64 " repeat %u: %s",
                 task->point, task->repeat, reason);
    const struct store_task row = {.task_id = task->task_id,
                                   .state = task->state,
                                   .reason = reason,
                                   .attempts = task->attempts,
                                   .retries_counted_from = task->retries_counted_from,
                                   .accepted_run_id = task->accepted_run_id};

    if (store_task_move(ledger->store, &row, err) < 0)
        return -1;
    if (!task_state_is_final(task->state))
        return 0;
    if (ledger_task_event(ledger, task, task->attempt ? task->attempt->run_id : 0,
                          task->state == TASK_DONE     ? "task.done"
                          : task->state == TASK_FAILED ? "task.failed"
                                                       : "task.cancelled",
                          reason, err) < 0)
        return -1;
    if (task->attempt)
        ledger_free_attempt(ledger, task->attempt);
    return end_job_tasks(ledger, job, err);
}

int ledger_step_attempt_unstored(struct attempt *attempt,
                                 enum attempt_event event,
                                 struct err *err)
{
    enum attempt_state before = attempt->state;

    if (attempt_state_step(&attempt->state, event))
        return 0;
    return err_set(err, ERR_INTERNAL, "run %" PRIu64 " is %s: no move by event %d",
                   attempt->run_id, attempt_state_name(before), event);
}

int ledger_move_attempt(struct ledger *ledger,
                        struct attempt *attempt,
                        enum attempt_event event,
                        const char *reason,
                        struct err *err)
{
    if (ledger_step_attempt_unstored(attempt, event, err) < 0)
        return -1;
    if (attempt->state == ATTEMPT_RUNNING) {
        if (!attempt->started_wall_ms)
            attempt->started_wall_ms = ledger_wall_ms();
        ledger_mark_unwritten(ledger, attempt);
        return 0;
    }
    if (write_attempt(ledger, attempt, reason, err) < 0)
        return -1;
    if (event != ATTEMPT_ON_LOSE && event != ATTEMPT_ON_REFUSE)
        return 0;
    return ledger_task_event(
        ledger, attempt->task, attempt->run_id,
        event == ATTEMPT_ON_LOSE ? "attempt.lost" : "attempt.refused", reason, err);
}

int ledger_cancel_job(struct ledger *ledger,
                      struct ledger_job *job,
                      const char *reason,
                      struct err *err)
{
    job->cancelled = true;
    job->changed = true;
    if (store_job_set_cancelled(ledger->store, job->job_id, true, err) < 0)
        return -1;
    for (uint64_t i = 0; i < job->task_count; i++)
        if (job->tasks[i].state == TASK_WAITING &&
            ledger_move_task(ledger, &job->tasks[i], TASK_ON_CANCEL, reason, err) < 0)
            return -1;
    return 0;
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

    job->state = job->counts[TASK_CANCELLED] > 0         ? JOB_CANCELLED
                 : job->counts[TASK_FAILED] > 0 || !good ? JOB_FAILED
                                                         : JOB_DONE;
    if (!good)
        snprintf(reason, sizeof(reason), "report: %s", error);
    else if (job->state == JOB_FAILED)
        snprintf(reason, sizeof(reason), "%" PRIu64 " of its tasks failed",
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
