/* ledger_retry.c - repeats failed and cancelled tasks at the request of a user
 *
 * A job that has ended is loaded again, and ends again with these tasks. Tasks that are
 * done stay done. Attempt numbers continue, so that a late message of an old attempt is
 * recognised, but attempts so far do not count as retries any more. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/store.h"

struct task_failure { /* why a task failed */
    uint64_t task_id;
    struct attempt attempt; /* the latest: its run_id and failure only */
};

struct failures { /* sorted by task_id */
    struct task_failure *items;
    size_t count;
};

static int by_task(const void *left, const void *right)
{
    uint64_t a = ((const struct task_failure *)left)->task_id;
    uint64_t b = ((const struct task_failure *)right)->task_id;

    return (a > b) - (a < b);
}

static struct task_failure *find(const struct failures *failures, uint64_t task_id)
{
    const struct task_failure key = {.task_id = task_id};

    return failures->count == 0
               ? NULL
               : bsearch(&key, failures->items, failures->count, sizeof(key), by_task);
}

/* Keeps the latest attempt, which is the last row of its task. */
static int keep_attempt(const struct store_attempt *row, void *arg, struct err *err)
{
    struct task_failure *failure = find(arg, row->task_id);

    (void)err;
    if (failure)
        failure->attempt = (struct attempt){
            .run_id = row->run_id,
            .failure = {.state = row->state == ATTEMPT_LOST ? RANK_STATE_LOST
                                                            : RANK_STATE_LEASED}};
    return 0;
}

static int keep_rank(const struct store_rank *row, void *arg, struct err *err)
{
    struct task_failure *failure = find(arg, row->task_id);
    const struct failure how = ledger_failure_of_rank(row);

    (void)err;
    if (failure && failure->attempt.run_id == row->run_id && how.status != RANK_DONE)
        ledger_record_failure(&failure->attempt, &how);
    return 0;
}

/* Reads why each task failed, which is needed only for a retry by class. */
static int find_failures(struct failures *failures,
                         struct ledger *ledger,
                         const struct ledger_job *job,
                         struct err *err)
{
    failures->items = xcalloc(job->task_count, sizeof(*failures->items));
    failures->count = 0;
    for (uint64_t i = 0; i < job->task_count; i++)
        if (job->tasks[i].state == TASK_FAILED)
            failures->items[failures->count++].task_id = job->tasks[i].task_id;
    if (failures->count > 0)
        qsort(failures->items, failures->count, sizeof(*failures->items), by_task);
    if (store_each_attempt(ledger->store, job->job_id, keep_attempt, failures, err) < 0)
        return -1;
    return store_each_rank(ledger->store, job->job_id, keep_rank, failures, err);
}

static int read_classes(unsigned *bits, const struct text_list *words, struct err *err)
{
    *bits = 0;
    for (size_t i = 0; i < words->count; i++) {
        unsigned bit = job_retry_class(words->items[i]);

        if (!bit)
            return err_set(err, ERR_INPUT,
                           "unknown class of failure '%.64s'; see 'muster help retry' "
                           "for the classes",
                           words->items[i]);
        *bits |= bit;
    }
    return 0;
}

static bool is_selected(const struct task *task,
                        const struct msg_retry *request,
                        unsigned classes,
                        const struct failures *failures)
{
    if (task->state == TASK_CANCELLED)
        return !request->failed_only && !classes;
    if (task->state != TASK_FAILED || !classes)
        return task->state == TASK_FAILED;
    return ledger_retry_class(&find(failures, task->task_id)->attempt.failure) &
           classes;
}

/* Opens the job again. */
static int reopen_job(struct ledger *ledger,
                      struct ledger_job *job,
                      uint64_t count,
                      struct err *err)
{
    char text[64];

    job->cancelled = false;
    job->report_due = false;
    job->state = JOB_WAITING;
    job->served_ms = clock_mono_ms();
    job->changed = true;
    job->note[0] = '\0';
    snprintf(text, sizeof(text), "tasks=%" PRIu64, count);
    if (store_job_set_cancelled(ledger->store, job->job_id, false, err) < 0 ||
        store_job_set_state(ledger->store, job->job_id, JOB_WAITING, "",
                            ledger_wall_ms(), err) < 0)
        return -1;
    return ledger_job_event(ledger, job, "job.retried", text, err);
}

static int retry_task(struct ledger *ledger, struct task *task, struct err *err)
{
    task->spent = 0;
    task->retries_counted_from = task->attempts;
    task->accepted_run_id = 0;
    return ledger_move_task(ledger, task, TASK_ON_RETRY, "", err);
}

static int retry(struct ledger *ledger,
                 struct ledger_job *job,
                 const struct msg_retry *request,
                 unsigned classes,
                 uint64_t *count,
                 struct err *err)
{
    struct failures failures = {0};
    int result = classes ? find_failures(&failures, ledger, job, err) : 0;

    *count = 0;
    for (uint64_t i = 0; result == 0 && i < job->task_count; i++)
        if (is_selected(&job->tasks[i], request, classes, &failures)) {
            result = retry_task(ledger, &job->tasks[i], err);
            ++*count;
        }
    free(failures.items);
    if (result == 0 && *count == 0)
        return err_set(err, ERR_INPUT, "%s: no task of this job failed%s", job->key,
                       classes                ? " with one of these classes"
                       : request->failed_only ? ""
                                              : " or was cancelled");
    return result == 0 ? reopen_job(ledger, job, *count, err) : -1;
}

int ledger_retry(struct ledger *ledger,
                 const struct msg_retry *request,
                 uint64_t *count,
                 struct err *err)
{
    struct ledger_job *job = ledger_find_job(ledger, request->job_id);
    uint64_t *after;
    size_t after_count;
    unsigned classes;

    if (read_classes(&classes, &request->classes, err) < 0 ||
        (!job && ledger_load_ended(&job, ledger, request->job_id, false, err) < 0))
        return -1;
    if (job->state == JOB_PARSING && !job->report_due)
        return err_set(
            err, ERR_CONFLICT,
            "%s: its report is being written; try again when the job has ended",
            job->key);
    if (ledger_dependencies_find(&after, &after_count, ledger, job->job, job->job_id,
                                 false, err) < 0)
        return err_wrap(err, "%s depends on another job", job->key);
    free(job->after);
    job->after = after;
    job->after_count = after_count;
    return retry(ledger, job, request, classes, count, err);
}
