/* ledger_load.c - loads jobs from the store when the coordinator starts */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/store.h"

enum { RANKS_MAX = 1 << 16 }; /* a rank is 16 bits of the number of a shard */

struct loading { /* state of a load */
    struct ledger *ledger;
    uint64_t await_until_ms;
    uint64_t ended; /* number of an ended job to load, or 0: all open jobs */
    bool all_tasks; /* also those that are done */
    struct ledger_job *loaded;
    struct task **tasks; /* by task_id */
    size_t count, room;
    struct broken { /* jobs that cannot be loaded */
        uint64_t job_id;
        const char *why;
    } * broken;
    size_t broken_count;
};

static const char unreadable[] = "this version of muster cannot read its job file",
                  damaged[] = "the store is damaged: the number of its tasks differs "
                              "from the number in its row; run 'muster fsck'";

static void
add_broken(struct loading *loading, const struct store_job *row, const char *why)
{
    loading->broken = xreallocarray(loading->broken, loading->broken_count + 1,
                                    sizeof(*loading->broken));
    loading->broken[loading->broken_count++] = (struct broken){row->job_id, why};
}

/* Returns the number of stored tasks of the job, as counted from their rows. */
static uint64_t count_tasks(const struct store_job *row)
{
    return row->tasks_waiting + row->tasks_leased + row->tasks_parsing +
           row->tasks_done + row->tasks_failed + row->tasks_cancelled;
}

static int load_job(const struct store_job *row, void *arg, struct err *err)
{
    struct loading *loading = arg;
    struct problems problems = {0};
    struct job *job;

    (void)err;
    if (job_state_is_final(row->state) && !loading->ended)
        return 0;
    if (job_parse(&job, row->yaml, strlen(row->yaml), &problems) < 0) {
        log_error("job not loaded: job=%s reason=\"%s\"", row->key,
                  problems.items[0].text);
        add_broken(loading, row, unreadable);
        problems_clear(&problems);
        return 0;
    }
    problems_clear(&problems);
    if (count_tasks(row) != row->tasks_total) {
        log_error("job not loaded: job=%s tasks=%" PRIu64 " tasks_total=%" PRIu64,
                  row->key, count_tasks(row), row->tasks_total);
        add_broken(loading, row, damaged);
        job_destroy(job);
        return 0;
    }

    uint64_t done = loading->all_tasks ? 0 : row->tasks_done;
    uint64_t open = count_tasks(row) - done;
    struct ledger_job *entry = ledger_add_job(loading->ledger, row->job_id, row->key,
                                              row->folder, row->user, job, open);
    entry->state = row->state;
    entry->counts[TASK_DONE] = done;
    entry->cancelled = row->cancelled;
    loading->room += open;
    loading->loaded = entry;
    return 0;
}

static int load_task(const struct store_task *row, void *arg, struct err *err)
{
    struct loading *loading = arg;
    struct ledger_job *job = ledger_find_job(loading->ledger, row->job_id);

    if (!job)
        return 0;
    if (job->task_count == job->task_room || loading->count == loading->room)
        return err_set(err, ERR_STORE, "%s has more tasks than were counted", job->key);
    struct task *task = &job->tasks[job->task_count++];
    *task = (struct task){
        .waiting = {.place = row->place, .card = row->card},
        .job = job,
        .task_id = row->task_id,
        .point = row->point,
        .repeat = row->repeat,
        .attempts = row->attempts,
        .retries_counted_from = row->retries_counted_from,
        .accepted_run_id = row->accepted_run_id,
        .state = row->state,
    };
    job->counts[task->state]++;
    if (task->state == TASK_WAITING)
        task_queue_push(job->queue, &task->waiting);
    loading->tasks[loading->count++] = task;
    return 0;
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = (*(struct task *const *)left)->task_id;
    uint64_t b = (*(struct task *const *)right)->task_id;

    return (a > b) - (a < b);
}

static struct task *find_task(const struct loading *loading, uint64_t task_id)
{
    struct task example = {.task_id = task_id}, *key = &example;
    struct task **found =
        bsearch(&key, loading->tasks, loading->count, sizeof(struct task *), by_number);

    return found ? *found : NULL;
}

static int load_attempt(const struct store_attempt *row, void *arg, struct err *err)
{
    struct loading *loading = arg;
    struct task *task = find_task(loading, row->task_id);
    bool is_out = row->state == ATTEMPT_LEASED || row->state == ATTEMPT_RUNNING ||
                  row->state == ATTEMPT_ENDING;

    if (!task)
        return 0;
    if (row->ranks > RANKS_MAX)
        return err_set(err, ERR_STORE, "attempt with run_id %" PRIu64 " has %u ranks",
                       row->run_id, row->ranks);
    if (row->started_wall_ms && row->attempt > task->retries_counted_from &&
        (row->state == ATTEMPT_LOST || row->state == ATTEMPT_FAILED))
        task->spent++;
    bool may_come_back = row->state == ATTEMPT_LOST && row->ranks <= 1;
    if (row->attempt != task->attempts ||
        (!is_out && !may_come_back && row->state != ATTEMPT_PARSING))
        return 0;
    struct attempt *attempt = ledger_add_attempt(loading->ledger, task, row->run_id,
                                                 row->ranks ? row->ranks : 1);
    attempt->state = row->state;
    attempt->started = row->started_wall_ms != 0;
    attempt->started_wall_ms = row->started_wall_ms;
    for (uint32_t i = 0; i < attempt->rank_count; i++) {
        struct attempt_rank *rank = &attempt->ranks[i];

        ledger_set_rank_card(
            rank, row->host,
            row->card); /* of rank 0; load_rank_card() sets the others */
        rank->state = row->state == ATTEMPT_LOST ? RANK_STATE_LOST : RANK_STATE_LEASED;
        rank->await_until_ms = is_out ? loading->await_until_ms : 0;
    }
    return 0;
}

static int load_rank_card(const struct store_rank_card *row, void *arg, struct err *err)
{
    struct attempt_rank *rank = ledger_find_rank(arg, row->rank);

    if (!rank)
        return err_set(err, ERR_STORE, "attempt with run_id %llu has no rank %u",
                       (unsigned long long)row->run_id, row->rank);
    ledger_set_rank_card(rank, row->host, row->card);
    return 0;
}

static int load_rank(const struct store_rank *row, void *arg, struct err *err)
{
    struct loading *loading = arg;
    struct attempt *attempt = ledger_find_attempt(loading->ledger, row->run_id);
    struct attempt_rank *rank = attempt ? ledger_find_rank(attempt, row->rank) : NULL;
    const struct failure how = ledger_failure_of_rank(row);

    (void)err;
    if (!rank)
        return 0;
    rank->state = RANK_STATE_ENDED;
    rank->status = how.status;
    rank->await_until_ms = 0;
    rank->simulated = row->simulated;
    if (row->parse_state == PARSE_DONE || row->parse_state == PARSE_FAILED)
        rank->parsed = row->parse_state;
    if (row->parse_state == PARSE_FAILED)
        snprintf(attempt->parse_error, sizeof(attempt->parse_error),
                 "rank %u: parsing: %s", row->rank, row->parse_error);
    if (how.status != RANK_DONE)
        ledger_record_failure(attempt, &how);
    return 0;
}

/* Continues the attempts that were open when the coordinator ended. */
static int resume_attempts(struct ledger *ledger, struct err *err)
{
    struct attempt *attempt;

    for (size_t cursor = 0; (attempt = ledger_next_attempt(ledger, &cursor));) {
        if (attempt->rank_count > 1 &&
            store_each_rank_card(ledger->store, attempt->run_id, load_rank_card,
                                 attempt, err) < 0)
            return -1;
        if (attempt->state == ATTEMPT_PARSING)
            ledger_queue_parse(ledger, attempt);
        else if (attempt->state == ATTEMPT_ENDING)
            ledger_request_stop(ledger, attempt);
    }
    return 0;
}

static int end_broken(struct loading *loading, struct err *err)
{
    for (size_t i = 0; i < loading->broken_count; i++) {
        const struct ledger_job broken = {.job_id = loading->broken[i].job_id};
        const char *why = loading->broken[i].why;

        if (store_job_set_state(loading->ledger->store, broken.job_id, JOB_FAILED, why,
                                0, err) < 0 ||
            ledger_job_event(loading->ledger, &broken, "job.ended", why, err) < 0)
            return -1;
    }
    return 0;
}

int ledger_load(struct ledger *ledger, uint64_t await_until_ms, struct err *err)
{
    struct loading loading = {.ledger = ledger, .await_until_ms = await_until_ms};
    int result = store_each_job(ledger->store, 0, load_job, &loading, err);

    if (result == 0)
        result = end_broken(&loading, err);
    loading.tasks = xcalloc(loading.room, sizeof(*loading.tasks));
    if (result == 0)
        result = store_each_open_task(ledger->store, 0, load_task, &loading, err);
    qsort(loading.tasks, loading.count, sizeof(*loading.tasks), by_number);
    if (result == 0)
        result = store_each_open_attempt(ledger->store, load_attempt, &loading, err);
    for (struct ledger_job *job = ledger->jobs; job && result == 0; job = job->next) {
        if (job->state == JOB_WAITING)
            result = ledger_dependencies_find(&job->after, &job->after_count, ledger,
                                              job->job, job->job_id, true, err);
        job->report_due = ledger_open_tasks(job) == 0;
        if (result == 0 && job->counts[TASK_PARSING] + job->counts[TASK_LEASED] > 0)
            result =
                store_each_rank(ledger->store, job->job_id, load_rank, &loading, err);
    }
    if (result == 0)
        result = resume_attempts(ledger, err);
    free(loading.tasks);
    free(loading.broken);
    return result;
}

int ledger_load_ended(struct ledger_job **out,
                      struct ledger *ledger,
                      uint64_t job_id,
                      bool all_tasks,
                      struct err *err)
{
    struct loading loading = {
        .ledger = ledger, .ended = job_id, .all_tasks = all_tasks};

    if (store_job_read(ledger->store, job_id, load_job, &loading, err) < 0)
        return -1;
    const char *why = loading.broken_count > 0 ? loading.broken[0].why : NULL;

    free(loading.broken);
    if (why)
        return err_set(err, ERR_INPUT, "%s", why);
    loading.tasks = xcalloc(loading.room, sizeof(*loading.tasks));
    int result =
        all_tasks
            ? store_each_task(ledger->store, job_id, load_task, &loading, err)
            : store_each_open_task(ledger->store, job_id, load_task, &loading, err);
    free(loading.tasks);
    *out = loading.loaded;
    return result;
}
