/* ledger_moves.c - state changes of tasks and attempts, in memory and in the store */
#include <inttypes.h>
#include <stdio.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/store/store.h"

uint64_t ledger_wall_ms(void)
{
    return clock_wall_ns() / 1000000;
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

/* Requests the report of the job when its last task has ended. */
static int
request_report_if_ended(struct ledger *ledger, struct ledger_job *job, struct err *err)
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
        return err_set(err, ERR_INTERNAL, "task %" PRIu64 " is %s and refuses event %d",
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
    return request_report_if_ended(ledger, job, err);
}

int ledger_step_attempt_unstored(struct attempt *attempt,
                                 enum attempt_event event,
                                 struct err *err)
{
    enum attempt_state before = attempt->state;

    if (attempt_state_step(&attempt->state, event))
        return 0;
    return err_set(err, ERR_INTERNAL,
                   "attempt with run_id %" PRIu64 " is %s and refuses event %d",
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
