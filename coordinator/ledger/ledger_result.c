/* ledger_result.c - stores the result of a rank */
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

/* Returns how many ranks a result covers: in a threads job one process has all ranks.
 */
static uint32_t ranks_of(const struct attempt_rank *rank)
{
    return rank->attempt->threads ? rank->attempt->rank_count : 1;
}

static int check_groups(char **missing,
                        struct ledger *ledger,
                        struct attempt_rank *rank,
                        const struct msg_rank_result *result,
                        struct err *err)
{
    uint64_t here = 0;

    *missing = NULL;
    if (result->groups == 0)
        return 0;
    for (uint32_t i = 0; i < ranks_of(rank); i++) {
        struct captures_rank_totals totals;

        if (ledger_count_captured(&totals, ledger, rank + i, err) < 0)
            return -1;
        here += totals.groups;
    }
    if (here != result->groups)
        *missing =
            xasprintf("%" PRIu64 " capture groups were sent, %" PRIu64 " have arrived",
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

    if (rank->attempt->threads &&
        result->groups > 0) { /* the totals of the message cover all cards */
        struct captures_rank_totals totals;

        if (ledger_count_captured(&totals, ledger, rank, err) < 0)
            return -1;
        row.groups = totals.groups;
        row.blocks = totals.blocks;
        row.launches = totals.launches;
    }
    return store_rank_put(ledger->store, &row, err);
}

/* Ends a rank: stores its row and frees its card. */
static int end_rank(struct ledger *ledger,
                    struct attempt_rank *rank,
                    const struct worker *worker,
                    const struct msg_rank_result *result,
                    enum rank_status status,
                    struct err *err)
{
    const struct attempt *attempt = rank->attempt;
    bool parses = status == RANK_DONE && attempt->rank_count == 1 &&
                  job_is_measured(job_settings(attempt->task->job->job));

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

/* Updates the recent duration of the job's ranks: a longer rank counts at once, shorter
 * ranks by a quarter each. */
static void update_duration(struct ledger_job *job,
                            const struct msg_rank_result *result)
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
    char *missing;

    if (rank->state == RANK_STATE_ENDED || rank->state == RANK_STATE_REFUSED)
        return 0; /* a repeated message */
    if (!ledger_rank_has_process(rank))
        return 0; /* ranks_of() counts from rank 0 */
    if (!rank_status_parse(result->status, &how.status))
        how.status = RANK_FAILED; /* a status that only a newer version has */
    if (check_groups(&missing, ledger, rank, result, err) < 0)
        return -1;
    if (missing && how.status == RANK_DONE) /* otherwise the message has a reason */
        snprintf(how.reason, sizeof(how.reason), "%s", missing);
    else
        ledger_describe_rank(how.reason, sizeof(how.reason), how.status, result->reason,
                             result->signal, result->exit_code);
    if (missing && how.status == RANK_DONE)
        how.status = RANK_LOST;
    free(missing);
    how.left = ledger_failure_is_harmless(&how) && result->launches == 0;
    how.waited = how.status == RANK_TIMEOUT && result->launches == 0;
    update_duration(rank->attempt->task->job, result);
    if (rank->attempt->rank_count == 1) /* also when the attempt was marked lost */
        rank->attempt->failure = (struct failure){.state = RANK_STATE_LEASED};
    for (uint32_t i = 0; i < ranks_of(rank); i++)
        if (end_rank(ledger, rank + i, worker, result, how.status, err) < 0)
            return -1;
    if (how.status != RANK_DONE)
        ledger_record_failure(rank->attempt, &how);
    return ledger_close_if_ended(ledger, rank->attempt, err);
}
