/* ledger_reparse.c - parses stored captures of an ended job again, at the request of a
 * user
 *
 * The job is loaded with all its tasks and opened again. Only the latest attempt of a
 * task is parsed, and only when the results of all its ranks have arrived. Its files
 * are written again and its figures replaced; the task then ends as after its
 * measurement. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"

/* The tasks of the job by task_id, each with what its latest attempt has stored. */
struct stored {
    struct ledger *ledger;
    struct stored_task {
        struct task *task;
        uint64_t groups;
        uint32_t unparsed; /* ranks */
    } * items;
    size_t count;
};

static int by_task(const void *left, const void *right)
{
    uint64_t a = ((const struct stored_task *)left)->task->task_id;
    uint64_t b = ((const struct stored_task *)right)->task->task_id;

    return (a > b) - (a < b);
}

static struct stored_task *find(const struct stored *stored, uint64_t task_id)
{
    struct task example = {.task_id = task_id};
    const struct stored_task key = {.task = &example};

    return stored->count == 0
               ? NULL
               : bsearch(&key, stored->items, stored->count, sizeof(key), by_task);
}

static int add_attempt(const struct store_attempt *row, void *arg, struct err *err)
{
    struct stored *stored = arg;
    struct stored_task *item = find(stored, row->task_id);

    (void)err;
    if (!item || row->attempt != item->task->attempts || row->ranks > UINT16_MAX)
        return 0;
    struct attempt *attempt = ledger_add_attempt(
        stored->ledger, item->task, row->run_id, row->ranks ? row->ranks : 1);
    attempt->state = row->state;
    attempt->started = row->started_wall_ms != 0;
    attempt->started_wall_ms = row->started_wall_ms;
    return 0;
}

static int add_rank(const struct store_rank *row, void *arg, struct err *err)
{
    struct stored *stored = arg;
    struct stored_task *item = find(stored, row->task_id);
    struct attempt *attempt = item ? item->task->attempt : NULL;
    struct attempt_rank *rank = attempt && attempt->run_id == row->run_id
                                    ? ledger_find_rank(attempt, row->rank)
                                    : NULL;
    const struct failure how = ledger_failure_of_rank(row);

    (void)err;
    if (!rank)
        return 0;
    ledger_set_rank_card(rank, row->host, row->card);
    rank->state = RANK_STATE_ENDED;
    rank->status = how.status;
    rank->simulated = row->simulated;
    item->groups += row->groups;
    item->unparsed += row->parse_state != PARSE_DONE;
    if (how.status != RANK_DONE)
        ledger_record_failure(attempt, &how);
    return 0;
}

static bool has_all_results(const struct attempt *attempt)
{
    for (uint32_t i = 0; i < attempt->rank_count; i++)
        if (attempt->ranks[i].state != RANK_STATE_ENDED)
            return false;
    return attempt->state == ATTEMPT_DONE || attempt->state == ATTEMPT_FAILED ||
           attempt->state == ATTEMPT_CANCELLED;
}

static int parse_again(struct ledger *ledger, struct task *task, struct err *err)
{
    struct attempt *attempt = task->attempt;

    task->accepted_run_id = attempt->run_id;
    attempt->parsed_again = true;
    for (uint32_t i = 0; i < attempt->rank_count; i++)
        if (store_results_clear(ledger->store, attempt->run_id, i, err) < 0 ||
            store_rank_set_parse(ledger->store, attempt->run_id, i, PARSE_WAITING, "",
                                 err) < 0)
            return -1;
    if (ledger_move_attempt(ledger, attempt, ATTEMPT_ON_REPARSE, "", err) < 0 ||
        ledger_move_task(ledger, task, TASK_ON_REPARSE, "", err) < 0)
        return -1;
    ledger_queue_parse(ledger, attempt);
    return 0;
}

static int
parse_all_again(const struct stored *stored, bool all, uint64_t *count, struct err *err)
{
    for (size_t i = 0; i < stored->count; i++) {
        const struct stored_task *item = &stored->items[i];
        struct attempt *attempt = item->task->attempt;

        if (attempt && has_all_results(attempt) && item->groups > 0 &&
            (all || item->unparsed > 0)) {
            if (parse_again(stored->ledger, item->task, err) < 0)
                return -1;
            ++*count;
        } else if (attempt) {
            ledger_free_attempt(stored->ledger, attempt);
        }
    }
    return 0;
}

static int
open_job(struct ledger *ledger, struct ledger_job *job, uint64_t count, struct err *err)
{
    char text[64];

    job->cancelled = false;
    job->report_due = false;
    job->state = JOB_RUNNING;
    job->changed = true;
    job->note[0] = '\0';
    snprintf(text, sizeof(text), "tasks=%" PRIu64, count);
    if (store_job_set_cancelled(ledger->store, job->job_id, false, err) < 0 ||
        store_job_set_state(ledger->store, job->job_id, JOB_RUNNING, "",
                            ledger_wall_ms(), err) < 0)
        return -1;
    return ledger_job_event(ledger, job, "job.reparsed", text, err);
}

static int reparse(struct ledger *ledger,
                   struct ledger_job *job,
                   bool all,
                   uint64_t *count,
                   struct err *err)
{
    struct stored stored = {.ledger = ledger, .count = job->task_count};

    stored.items = xcalloc(stored.count, sizeof(*stored.items));
    for (size_t i = 0; i < stored.count; i++)
        stored.items[i].task = &job->tasks[i];
    qsort(stored.items, stored.count, sizeof(*stored.items), by_task);
    int result =
        store_each_attempt(ledger->store, job->job_id, add_attempt, &stored, err);
    if (result == 0)
        result = store_each_rank(ledger->store, job->job_id, add_rank, &stored, err);
    if (result == 0)
        result = parse_all_again(&stored, all, count, err);
    free(stored.items);
    return result;
}

int ledger_reparse(struct ledger *ledger,
                   const struct msg_reparse *request,
                   uint64_t *count,
                   struct err *err)
{
    struct ledger_job *job = ledger_find_job(ledger, request->job_id);
    char path[4096];

    *count = 0;
    if (job)
        return err_set(err, ERR_CONFLICT,
                       "%s has not ended; try again when it has ended", job->key);
    if (ledger_load_ended(&job, ledger, request->job_id, true, err) < 0)
        return -1;
    captures_path(path, sizeof(path), ledger->store_folder, job->job_id);
    if (!file_exists(path))
        return err_set(err, ERR_INPUT,
                       "%s has no stored captures: %.150s does not exist", job->key,
                       path);
    if (reparse(ledger, job, request->all, count, err) < 0)
        return -1;
    if (*count == 0)
        return err_set(err, ERR_INPUT, "%s: %s", job->key,
                       request->all
                           ? "no captures of this job are stored"
                           : "all stored captures are parsed; --all parses them again");
    return open_job(ledger, job, *count, err);
}
