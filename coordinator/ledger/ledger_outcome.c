/* ledger_outcome.c - ends an attempt: its result is accepted, or its task is repeated,
 * fails or is cancelled */
#include <inttypes.h>
#include <stdio.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/log.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"

/* Attempts that no worker has started do not count as retries; this limits them. */
enum { IDLE_ATTEMPTS_MAX = 50 };

/* Makes the parsers read all ranks of the attempt. */
static int queue_parse(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    for (uint32_t i = 0; attempt->rank_count > 1 && i < attempt->rank_count; i++)
        if (store_rank_set_parse(ledger->store, attempt->run_id, i, PARSE_WAITING, "",
                                 err) < 0)
            return -1;
    ledger_queue_parse(ledger, attempt);
    return 0;
}

/* Accepts the result of an attempt whose ranks all ended well. */
static int
accept_result(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    struct task *task = attempt->task;
    bool parses = job_is_measured(job_settings(task->job->job));

    task->accepted_run_id = attempt->run_id;
    if (parses)
        return ledger_move_attempt(ledger, attempt, ATTEMPT_ON_RESULT, "", err) < 0 ||
                       ledger_move_task(ledger, task, TASK_ON_RESULT, "", err) < 0
                   ? -1
                   : queue_parse(ledger, attempt, err);
    /* states that the attempt and the task leave at once are not stored */
    if (ledger_step_attempt_unstored(attempt, ATTEMPT_ON_RESULT, err) < 0 ||
        ledger_step_task_unstored(task, TASK_ON_RESULT, err) < 0 ||
        ledger_move_attempt(ledger, attempt, ATTEMPT_ON_PARSED, "", err) < 0)
        return -1;
    return ledger_move_task(ledger, task, TASK_ON_PARSED, "", err);
}

static int
has_captured(bool *yes, struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    struct captures_rank_totals totals;

    *yes = false;
    for (uint32_t i = 0; i < attempt->rank_count && !*yes; i++) {
        if (ledger_count_captured(&totals, ledger, &attempt->ranks[i], err) < 0)
            return -1;
        *yes = totals.launches > 0;
    }
    return 0;
}

/* Returns true when the results of all ranks have arrived, so that their captures can
 * be parsed although the attempt failed. */
static bool all_ended(const struct attempt *attempt)
{
    if (attempt->failure.state != RANK_STATE_ENDED ||
        attempt->failure.status == RANK_LOST)
        return false;
    for (uint32_t i = 0; i < attempt->rank_count; i++)
        if (attempt->ranks[i].state != RANK_STATE_ENDED)
            return false;
    return true;
}

/* Parses what the last attempt of a task has captured before it failed or was
 * cancelled. ledger_parsed() ends the task afterwards. Sets *accepted to false when
 * there is nothing to parse. */
static int accept_partial(bool *accepted,
                          struct ledger *ledger,
                          struct attempt *attempt,
                          struct err *err)
{
    struct task *task = attempt->task;

    *accepted = false;
    if (!all_ended(attempt) || !job_is_measured(job_settings(task->job->job)))
        return 0;
    if (has_captured(accepted, ledger, attempt, err) < 0)
        return -1;
    if (!*accepted)
        return 0;
    task->accepted_run_id = attempt->run_id;
    for (uint32_t i = 0; i < attempt->rank_count; i++)
        if (store_rank_set_parse(ledger->store, attempt->run_id, i, PARSE_WAITING, "",
                                 err) < 0)
            return -1;
    if (ledger_move_attempt(ledger, attempt, ATTEMPT_ON_RESULT, "", err) < 0 ||
        ledger_move_task(ledger, task, TASK_ON_RESULT, "", err) < 0)
        return -1;
    ledger_queue_parse(ledger, attempt);
    return 0;
}

/* Returns true while a rank has not ended. In a threads job only rank 0 counts, since
 * it has the process. */
static bool goes_on(const struct attempt *attempt)
{
    uint32_t count = attempt->threads ? 1 : attempt->rank_count;

    for (uint32_t i = 0; i < count; i++)
        if (rank_is_open(attempt->ranks[i].state))
            return true;
    return false;
}

const char *ledger_describe_failure(char out[260], const struct attempt *attempt)
{
    uint32_t good = 0;

    for (uint32_t i = 0; i < attempt->rank_count; i++)
        good += attempt->ranks[i].state == RANK_STATE_ENDED &&
                attempt->ranks[i].status == RANK_DONE;
    if (attempt->rank_count == 1)
        snprintf(out, 260, "%s", attempt->failure.reason);
    else
        snprintf(out, 260, "%u of %u ranks ended well; rank %u: %s", good,
                 attempt->rank_count, attempt->failure.rank, attempt->failure.reason);
    return out;
}

/* Returns true when another attempt follows. `counts`: the attempt counts as a retry.
 * `retry_class`: bits of enum job_retry_on. */
static bool is_repeated(const struct task *task, bool counts, unsigned retry_class)
{
    struct job_point point;

    if (task->job->cancelled)
        return false;
    job_points_at(task->job->points, task->point, &point);
    const struct job_settings *settings = point.settings;

    return counts
               ? task->spent < settings->retries && (settings->retry_on & retry_class)
               : task->attempts < settings->retries + IDLE_ATTEMPTS_MAX;
}

/* Repeats the task, or ends it. */
static int repeat_or_end(struct ledger *ledger,
                         struct task *task,
                         bool again,
                         const char *reason,
                         struct err *err)
{
    if (task->job->cancelled)
        return ledger_move_task(ledger, task, TASK_ON_CANCEL, reason, err);
    if (!again)
        return ledger_move_task(ledger, task, TASK_ON_FAIL, reason, err);
    if (task->state == TASK_WAITING)
        return 0; /* a late event: the task waits already */
    return ledger_move_task(ledger, task, TASK_ON_AGAIN, reason, err);
}

static enum attempt_event end_event(const struct failure *failure)
{
    return failure->state == RANK_STATE_REFUSED ? ATTEMPT_ON_REFUSE
           : failure->state == RANK_STATE_LOST  ? ATTEMPT_ON_LOSE
           : failure->status == RANK_CANCELLED  ? ATTEMPT_ON_CANCEL
                                                : ATTEMPT_ON_FAIL;
}

/* A rank that ran other kernels can end well while the others wait for it before their
 * first launch, up to the time limit. The reason is then this rank, and the same would
 * happen again. */
static void blame_rank_that_ended(struct attempt *attempt)
{
    struct failure *failure = &attempt->failure;
    uint32_t waited = failure->rank;

    if (failure->state != RANK_STATE_ENDED || !failure->waited)
        return;
    for (uint32_t i = 0; i < attempt->rank_count; i++) {
        const struct attempt_rank *rank = &attempt->ranks[i];

        if (rank->state != RANK_STATE_ENDED || rank->status != RANK_DONE)
            continue;
        *failure = (struct failure){.state = RANK_STATE_ENDED,
                                    .status = RANK_FAILED,
                                    .rank = i,
                                    .exit_was_good = true,
                                    .left = true};
        snprintf(failure->reason, sizeof(failure->reason),
                 "it ended while rank %" PRIu32
                 " waited before its first launch, until "
                 "the time limit; check that all ranks run the same kernels",
                 waited);
        return;
    }
}

/* Ends an attempt that failed. A lost attempt of one rank stays in memory, since its
 * worker may reconnect. */
static int
close_attempt(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    struct task *task = attempt->task;

    if (!attempt->threads)
        blame_rank_that_ended(attempt);
    enum attempt_event event = end_event(&attempt->failure);
    bool counts =
        event == ATTEMPT_ON_FAIL || (event == ATTEMPT_ON_LOSE && attempt->started);
    bool again = is_repeated(task, counts, ledger_retry_class(&attempt->failure));
    bool keep = event == ATTEMPT_ON_LOSE && attempt->rank_count == 1, accepted = false;
    char reason[260];

    ledger_describe_failure(reason, attempt);
    if (attempt->rank_count > 1 && attempt->state != ATTEMPT_ENDING &&
        !attempt_state_step(&attempt->state, ATTEMPT_ON_END))
        return err_set(err, ERR_INTERNAL,
                       "attempt with run_id %" PRIu64 " is %s and cannot end",
                       attempt->run_id, attempt_state_name(attempt->state));
    for (uint32_t i = 0; i < attempt->rank_count; i++)
        ledger_unassign_rank(&attempt->ranks[i]);
    if (!again && accept_partial(&accepted, ledger, attempt, err) < 0)
        return -1;
    if (accepted)
        return 0;
    task->spent += counts;
    if (ledger_move_attempt(ledger, attempt, event, reason, err) < 0 ||
        repeat_or_end(ledger, task, again, reason, err) < 0)
        return -1;
    if (task->attempt && !keep)
        ledger_free_attempt(ledger, task->attempt);
    return 0;
}

/* Requests the stop of the ranks that have not ended. */
static int begin_end(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    char reason[260];

    ledger_describe_failure(reason, attempt);
    log_info("attempt failed, stopping its ranks: run_id=%" PRIu64
             " job=%s point=%" PRIu64 " reason=\"%s\"",
             attempt->run_id, attempt->task->job->key, attempt->task->point, reason);
    ledger_request_stop(ledger, attempt);
    return ledger_move_attempt(ledger, attempt, ATTEMPT_ON_END, reason, err);
}

int ledger_close_if_ended(struct ledger *ledger,
                          struct attempt *attempt,
                          struct err *err)
{
    bool bad = attempt->failure.state != RANK_STATE_LEASED;

    if (goes_on(attempt)) {
        if (attempt->must_end && attempt->state != ATTEMPT_ENDING)
            return begin_end(ledger, attempt, err);
        return 0;
    }
    return bad ? close_attempt(ledger, attempt, err)
               : accept_result(ledger, attempt, err);
}

int ledger_end_incomplete(struct ledger *ledger,
                          struct attempt *attempt,
                          struct err *err)
{
    attempt->stay_until_ms = 0;
    attempt->must_end = true;
    return ledger_close_if_ended(ledger, attempt, err);
}

int ledger_close_overdue(struct ledger *ledger,
                         struct attempt *attempt,
                         struct err *err)
{
    log_warning("attempt closed before all ranks have ended: run_id=%" PRIu64 " job=%s",
                attempt->run_id, attempt->task->job->key);
    return close_attempt(ledger, attempt, err);
}
