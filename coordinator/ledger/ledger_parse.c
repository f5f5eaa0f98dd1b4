/* ledger_parse.c - stores what the parsers report of an attempt */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/store/files/result_files.h"
#include "lib/store/store.h"

static bool has_rank(struct ledger *ledger, uint64_t run_id, uint32_t number)
{
    const struct attempt *attempt = ledger_find_attempt(ledger, run_id);

    return attempt && ledger_find_rank(attempt, number);
}

int ledger_metric(struct ledger *ledger,
                  const struct store_metric *metric,
                  struct err *err)
{
    return has_rank(ledger, metric->run_id, metric->rank)
               ? store_metric_add(ledger->store, metric, err)
               : 0;
}

int ledger_launch(struct ledger *ledger,
                  const struct store_launch *launch,
                  struct err *err)
{
    return has_rank(ledger, launch->run_id, launch->rank)
               ? store_launch_put(ledger->store, launch, err)
               : 0;
}

int ledger_replay(struct ledger *ledger,
                  const struct store_replay *replay,
                  struct err *err)
{
    return has_rank(ledger, replay->run_id, replay->rank)
               ? store_replay_add(ledger->store, replay, err)
               : 0;
}

int ledger_environment(struct ledger *ledger,
                       uint64_t run_id,
                       uint32_t number,
                       const struct store_environment *environment,
                       struct err *err)
{
    return has_rank(ledger, run_id, number)
               ? store_rank_set_environment(ledger->store, run_id, number, environment,
                                            err)
               : 0;
}

int ledger_output(struct ledger *ledger,
                  uint64_t run_id,
                  uint32_t number,
                  const char *path,
                  struct err *err)
{
    return store_output_add(ledger->store, run_id, number, path, err);
}

char *ledger_task_folder(const struct task *task)
{
    return xasprintf("%s/p%" PRIu64 "/r%u", task->job->out, task->point, task->repeat);
}

/* Removes files of which nothing is stored: of a parse that failed, or of an earlier
 * attempt or parse. */
static void remove_stray_files(struct ledger *ledger, const struct attempt *attempt)
{
    char *folder = ledger_task_folder(attempt->task);
    struct err err;

    if (result_files_remove_strays(ledger->store, attempt->run_id, folder, &err) < 0)
        log_warning("files of a failed parse not removed: run_id=%" PRIu64
                    " reason=\"%s\"",
                    attempt->run_id, err.text);
    free(folder);
}

void ledger_parse_delayed(struct ledger_job *job,
                          const struct attempt *attempt,
                          const char *error)
{
    if (attempt)
        snprintf(job->note, sizeof(job->note),
                 "point %" PRIu64 " repeat %u: is parsed again later: %s",
                 attempt->task->point, attempt->task->repeat, error);
    else
        snprintf(job->note, sizeof(job->note), "the report is written again later: %s",
                 error);
    job->changed = true;
}

/* Keeps the error of the first rank that was not parsed. */
static void keep_parse_error(struct attempt *attempt,
                             const struct attempt_rank *rank,
                             const char *error)
{
    size_t size = sizeof(attempt->parse_error);
    int length;

    if (attempt->parse_error[0])
        return;
    if (attempt->rank_count == 1)
        length = snprintf(attempt->parse_error, size, "parsing: %s", error);
    else
        length = snprintf(attempt->parse_error, size, "rank %u: parsing: %s",
                          rank->number, error);
    if (length >= (int)size) /* the event parse.failed has the whole text */
        strcpy(attempt->parse_error + size - 4, "...");
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

static int count_output(uint64_t run_id,
                        uint32_t rank,
                        const char *path,
                        void *arg,
                        struct err *err)
{
    (void)run_id, (void)rank, (void)path, (void)err;
    ++*(size_t *)arg;
    return 0;
}

/* Ends an attempt that failed or was cancelled, and whose captures are parsed. */
static int end_partial(struct ledger *ledger,
                       struct attempt *attempt,
                       bool good,
                       const char *problem,
                       struct err *err)
{
    struct task *task = attempt->task;
    bool cancelled = attempt->failure.status == RANK_CANCELLED;
    char failure[260], reason[720];
    size_t outputs = 0;

    if (store_each_run_output(ledger->store, attempt->run_id, count_output, &outputs,
                              err) < 0)
        return -1;
    snprintf(reason, sizeof(reason), "%s%s%s",
             cancelled ? "cancelled" : ledger_describe_failure(failure, attempt),
             good && !outputs ? "" : "; ",
             !good     ? problem
             : outputs ? "the partial result is parsed"
                       : "");
    if (ledger_move_attempt(ledger, attempt,
                            cancelled ? ATTEMPT_ON_CANCEL : ATTEMPT_ON_FAIL, reason,
                            err) < 0)
        return -1;
    return ledger_move_task(
        ledger, task, cancelled || task->job->cancelled ? TASK_ON_CANCEL : TASK_ON_FAIL,
        reason, err);
}

int ledger_parsed(struct ledger *ledger,
                  struct attempt_rank *rank,
                  bool good,
                  const char *error,
                  struct err *err)
{
    struct attempt *attempt = rank->attempt;
    struct task *task = attempt->task;
    char reason[420] = "";

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
    if (!good || task->attempts > 1 || attempt->parsed_again)
        remove_stray_files(ledger, attempt);
    if (!good && attempt->rank_count == 1)
        snprintf(reason, sizeof(reason), "%s", attempt->parse_error);
    else if (!good)
        snprintf(reason, sizeof(reason), "%u of %u ranks were parsed; %s",
                 count_good(attempt), attempt->rank_count, attempt->parse_error);
    if (attempt->failure.state != RANK_STATE_LEASED)
        return end_partial(ledger, attempt, good, reason, err);
    if (ledger_move_attempt(ledger, attempt, good ? ATTEMPT_ON_PARSED : ATTEMPT_ON_FAIL,
                            reason, err) < 0)
        return -1;
    return ledger_move_task(ledger, task, good ? TASK_ON_PARSED : TASK_ON_FAIL, reason,
                            err);
}
