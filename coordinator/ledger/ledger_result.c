/* ledger_result.c - what comes home of a run: groups, results, figures */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"

static int get_captures(struct captures **out,
                        struct ledger *ledger,
                        struct ledger_job *job,
                        struct err *err)
{
    char path[4096];

    if (!job->captures) {
        captures_path(path, sizeof(path), ledger->store_folder, job->job_id);
        if (captures_open(&job->captures, path, STORE_WRITE, err) < 0)
            return -1;
    }
    *out = job->captures;
    return 0;
}

int ledger_group(struct ledger *ledger,
                 struct attempt *attempt,
                 const struct captures_group *group,
                 char **refused,
                 struct err *err)
{
    struct captures *captures;
    bool already;

    *refused = NULL;
    if (get_captures(&captures, ledger, attempt->task->job, err) < 0)
        return -1;
    if (captures_put(captures, group, &already, err) == 0) {
        ledger->totals.groups += !already;
        ledger->totals.group_bytes += already ? 0 : group->size;
        return 0;
    }
    if (err->code != ERR_INPUT && err->code != ERR_CONFLICT && err->code != ERR_LIMIT)
        return -1;
    *refused = xstrdup(err->text);
    return 0;
}

static int count_captured(struct captures_rank_totals *totals,
                          struct ledger *ledger,
                          const struct attempt_rank *rank,
                          struct err *err)
{
    struct captures *captures;

    if (get_captures(&captures, ledger, rank->attempt->task->job, err) < 0)
        return -1;
    return captures_count_rank(captures, rank->attempt->run_id, rank->number, totals,
                               err);
}

/* One process has all the ranks of a run of threads. */
static uint32_t ranks_of(const struct attempt_rank *rank)
{
    return rank->attempt->threads ? rank->attempt->rank_count : 1;
}

static int check_groups(char **complaint,
                        struct ledger *ledger,
                        struct attempt_rank *rank,
                        const struct msg_rank_result *result,
                        struct err *err)
{
    uint64_t here = 0;

    *complaint = NULL;
    if (result->groups == 0)
        return 0;
    for (uint32_t i = 0; i < ranks_of(rank); i++) {
        struct captures_rank_totals totals;

        if (count_captured(&totals, ledger, rank + i, err) < 0)
            return -1;
        here += totals.groups;
    }
    if (here != result->groups)
        *complaint = xasprintf("%" PRIu64 " groups were sent, %" PRIu64 " are here",
                               result->groups, here);
    return 0;
}

static int put_rank(struct ledger *ledger,
                    const struct attempt_rank *rank,
                    const struct worker *worker,
                    const struct msg_rank_result *result,
                    enum parse_state parse_state,
                    struct err *err)
{
    struct store_rank row = {
        .run_id = rank->attempt->run_id,
        .rank = rank->number,
        .host = rank->host,
        .card = rank->card,
        .model = worker->model,
        .serial = rank->worker ? rank->worker->serial : worker->serial,
        .simulated = worker->simulated,
        .status = result->status,
        .exit_code = (int32_t)result->exit_code,
        .signal = (int32_t)result->signal,
        .reason = result->reason,
        .injected = result->injected,
        .launches = result->launches,
        .groups = result->groups,
        .blocks = result->blocks,
        .started_wall_ns = result->started_wall_ns,
        .ended_wall_ns = result->ended_wall_ns,
        .parse_state = parse_state,
    };

    if (rank->attempt->threads && result->groups > 0) { /* it told of all its cards */
        struct captures_rank_totals totals;

        if (count_captured(&totals, ledger, rank, err) < 0)
            return -1;
        row.groups = totals.groups;
        row.blocks = totals.blocks;
        row.launches = totals.launches;
    }
    return store_rank_put(ledger->store, &row, err);
}

/* The rank has ended: its row, and its card is free. */
static int end_rank(struct ledger *ledger,
                    struct attempt_rank *rank,
                    const struct worker *worker,
                    const struct msg_rank_result *result,
                    enum rank_status status,
                    struct err *err)
{
    const struct attempt *attempt = rank->attempt;
    bool parses = status == RANK_DONE && attempt->rank_count == 1 &&
                  job_settings(attempt->task->job->job)->metrics.count > 0;

    if (!rank_state_step(&rank->state, RANK_ON_RESULT))
        return 0;
    rank->status = status;
    rank->simulated = worker->simulated;
    if (put_rank(ledger, rank, worker, result, parses ? PARSE_WAITING : PARSE_NONE,
                 err) < 0)
        return -1;
    ledger_assign_worker(rank, NULL);
    rank->await_until_ms = 0;
    return 0;
}

static void tell_reason(char out[200],
                        enum rank_status status,
                        const struct msg_rank_result *result)
{
    if (*result->reason)
        snprintf(out, 200, "%s", result->reason);
    else if (result->signal)
        snprintf(out, 200, "ended by signal %" PRIu64, result->signal);
    else if (status == RANK_FAILED)
        snprintf(out, 200, "exit code %" PRId64, result->exit_code);
    else
        snprintf(out, 200, "%s", rank_status_word(status));
}

/* One that is longer tells at once, shorter ones little by little. */
static void keep_pace(struct ledger_job *job, const struct msg_rank_result *result)
{
    uint64_t took = result->ended_wall_ns > result->started_wall_ns
                        ? result->ended_wall_ns - result->started_wall_ns
                        : 0;

    if (took == 0 || result->started_wall_ns == 0)
        return;
    job->rank_ns =
        took >= job->rank_ns ? took : job->rank_ns - (job->rank_ns - took) / 4;
}

int ledger_result(struct ledger *ledger,
                  struct attempt_rank *rank,
                  const struct worker *worker,
                  const struct msg_rank_result *result,
                  struct err *err)
{
    struct failure how = {.state = RANK_STATE_ENDED,
                          .rank = rank->number,
                          .by_signal = result->signal != 0,
                          .exit_was_good =
                              result->signal == 0 && result->exit_code == 0,
                          .ended_wall_ns = result->ended_wall_ns};
    char *complaint;

    if (rank->state == RANK_STATE_ENDED || rank->state == RANK_STATE_REFUSED)
        return 0; /* said again */
    if (!rank_status_parse(result->status, &how.status))
        how.status = RANK_FAILED; /* a word of a newer worker */
    if (check_groups(&complaint, ledger, rank, result, err) < 0)
        return -1;
    if (complaint && how.status == RANK_DONE) /* else it has told what went wrong */
        snprintf(how.reason, sizeof(how.reason), "%s", complaint);
    else
        tell_reason(how.reason, how.status, result);
    if (complaint && how.status == RANK_DONE)
        how.status = RANK_LOST;
    free(complaint);
    keep_pace(rank->attempt->task->job, result);
    if (rank->attempt->rank_count == 1) /* also when it was thought lost */
        rank->attempt->failure = (struct failure){.state = RANK_STATE_LEASED};
    for (uint32_t i = 0; i < ranks_of(rank); i++)
        if (end_rank(ledger, rank + i, worker, result, how.status, err) < 0)
            return -1;
    if (how.status != RANK_DONE)
        ledger_record_failure(rank->attempt, &how);
    return ledger_close_if_ended(ledger, rank->attempt, err);
}

/* All parts have ended well */

static int want_parse(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    for (uint32_t i = 0; attempt->rank_count > 1 && i < attempt->rank_count; i++)
        if (store_rank_set_parse(ledger->store, attempt->run_id, i, PARSE_WAITING, "",
                                 err) < 0)
            return -1;
    ledger_queue_parse(ledger, attempt);
    return 0;
}

int ledger_accept(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    struct task *task = attempt->task;
    bool parses = job_settings(task->job->job)->metrics.count > 0;

    task->accepted_run_id = attempt->run_id;
    if (parses)
        return ledger_move_attempt(ledger, attempt, ATTEMPT_ON_RESULT, "", err) < 0 ||
                       ledger_move_task(ledger, task, TASK_ON_RESULT, "", err) < 0
                   ? -1
                   : want_parse(ledger, attempt, err);
    /* where it only passes through, nothing is written */
    if (ledger_step_attempt_unstored(attempt, ATTEMPT_ON_RESULT, err) < 0 ||
        ledger_step_task_unstored(task, TASK_ON_RESULT, err) < 0 ||
        ledger_move_attempt(ledger, attempt, ATTEMPT_ON_PARSED, "", err) < 0)
        return -1;
    return ledger_move_task(ledger, task, TASK_ON_PARSED, "", err);
}

/* Cancelled while it ran */

static int
has_captured(bool *yes, struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    struct captures_rank_totals totals;

    *yes = false;
    for (uint32_t i = 0; i < attempt->rank_count && !*yes; i++) {
        if (count_captured(&totals, ledger, &attempt->ranks[i], err) < 0)
            return -1;
        *yes = totals.launches > 0;
    }
    return 0;
}

static bool was_cancelled(const struct attempt *attempt)
{
    if (!attempt->task->job->cancelled || attempt->failure.state != RANK_STATE_ENDED ||
        attempt->failure.status != RANK_CANCELLED)
        return false;
    for (uint32_t i = 0; i < attempt->rank_count; i++)
        if (attempt->ranks[i].state != RANK_STATE_ENDED)
            return false;
    return true;
}

int ledger_accept_cancelled(bool *accepted,
                            struct ledger *ledger,
                            struct attempt *attempt,
                            struct err *err)
{
    struct task *task = attempt->task;

    *accepted = false;
    if (!was_cancelled(attempt) || job_settings(task->job->job)->metrics.count == 0)
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

int ledger_metric(struct ledger *ledger,
                  const struct store_metric *metric,
                  struct err *err)
{
    const struct attempt *attempt = ledger_find_attempt(ledger, metric->run_id);
    const struct attempt_rank *rank =
        attempt ? ledger_find_rank(attempt, metric->rank) : NULL;
    struct store_metric row = *metric;

    row.simulated = rank && rank->simulated;
    return rank ? store_metric_add(ledger->store, &row, err) : 0;
}

int ledger_output(struct ledger *ledger,
                  uint64_t run_id,
                  uint32_t number,
                  const char *path,
                  struct err *err)
{
    return store_output_add(ledger->store, run_id, number, path, err);
}

/* Of the first rank that was not parsed. */
static void keep_parse_error(struct attempt *attempt,
                             const struct attempt_rank *rank,
                             const char *error)
{
    if (attempt->parse_error[0])
        return;
    if (attempt->rank_count == 1)
        snprintf(attempt->parse_error, sizeof(attempt->parse_error), "parsing: %s",
                 error);
    else
        snprintf(attempt->parse_error, sizeof(attempt->parse_error),
                 "rank %u: parsing: %s", rank->number, error);
}

static uint32_t count_parsed(const struct attempt *attempt)
{
    uint32_t parsed = 0;

    for (uint32_t i = 0; i < attempt->rank_count; i++)
        parsed += attempt->ranks[i].parsed != PARSE_NONE;
    return parsed;
}

static uint32_t count_good(const struct attempt *attempt)
{
    uint32_t good = 0;

    for (uint32_t i = 0; i < attempt->rank_count; i++)
        good += attempt->ranks[i].parsed == PARSE_DONE;
    return good;
}

int ledger_parsed(struct ledger *ledger,
                  struct attempt_rank *rank,
                  bool good,
                  const char *error,
                  struct err *err)
{
    struct attempt *attempt = rank->attempt;
    struct task *task = attempt->task;
    bool cancelled =
        attempt->failure.state != RANK_STATE_LEASED; /* else it ended well */
    char reason[300] = "";

    rank->parsed = good ? PARSE_DONE : PARSE_FAILED;
    if (store_rank_set_parse(ledger->store, attempt->run_id, rank->number, rank->parsed,
                             error, err) < 0 ||
        (!good && ledger_task_event(ledger, task, attempt->run_id, "parse.failed",
                                    error, err) < 0))
        return -1;
    if (!good)
        keep_parse_error(attempt, rank, error);
    if (count_parsed(attempt) < attempt->rank_count)
        return 0;
    good = count_good(attempt) == attempt->rank_count;
    if (!good && attempt->rank_count == 1)
        snprintf(reason, sizeof(reason), "%s", attempt->parse_error);
    else if (!good)
        snprintf(reason, sizeof(reason), "%u of %u ranks; %s", count_good(attempt),
                 attempt->rank_count, attempt->parse_error);
    if (cancelled) {
        char what[sizeof(reason)];

        snprintf(what, sizeof(what), "cancelled; %s%.256s",
                 good ? "what it had measured is parsed" : "", reason);
        return ledger_move_attempt(ledger, attempt, ATTEMPT_ON_CANCEL, what, err) < 0
                   ? -1
                   : ledger_move_task(ledger, task, TASK_ON_CANCEL, what, err);
    }
    if (ledger_move_attempt(ledger, attempt, good ? ATTEMPT_ON_PARSED : ATTEMPT_ON_FAIL,
                            reason, err) < 0)
        return -1;
    return ledger_move_task(ledger, task, good ? TASK_ON_PARSED : TASK_ON_FAIL, reason,
                            err);
}
