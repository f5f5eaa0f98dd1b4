#include "coordinator/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "coordinator/ledger_inside.h"
#include "coordinator/workers.h"
#include "job/job.h"
#include "store/captures.h"
#include "store/store.h"
#include "wire/messages.h"

/* A lease that no worker ever began counts against nothing, but not without an end. */
enum { IDLE_ATTEMPTS_MAX = 50 };

static uint64_t wall_ms(void)
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
    ledger->runs = map_create();
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
    struct run *run;

    if (!ledger)
        return;
    for (size_t cursor = 0; (run = ledger_next_run(ledger, &cursor)); cursor = 0)
        ledger_forget_run(ledger, run);
    for (struct ledger_job *job = ledger->jobs, *next; job; job = next) {
        next = job->next;
        ledger_free_job(job);
    }
    map_destroy(ledger->runs);
    free(ledger->store_folder);
    free(ledger->out);
    free(ledger);
}

int ledger_commit(struct ledger *ledger, struct err *err)
{
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
    return store_job_set_state(ledger->store, job->job_id, JOB_PARSING, "", wall_ms(),
                               err);
}

static int move_task(struct ledger *ledger,
                     struct task *task,
                     enum task_event event,
                     const char *reason,
                     struct err *err)
{
    struct ledger_job *job = task->job;
    enum task_state before = task->state;

    if (!task_state_step(&task->state, event))
        return err_set(err, ERR_INTERNAL, "task %" PRIu64 " is %s: no move by event %d",
                       task->task_id, task_state_name(before), event);
    if (before == TASK_WAITING)
        queue_remove(job->queue, &task->waiting);
    if (task->state == TASK_WAITING)
        queue_push(job->queue, &task->waiting);
    job->counts[before]--;
    job->counts[task->state]++;
    job->changed = true;
    if (*reason)
        snprintf(job->note, sizeof(job->note), "point %" PRIu64 " repeat %u: %s",
                 task->point, task->repeat, reason);
    if (store_task_set_state(ledger->store, task->task_id, task->state, reason, err) <
        0)
        return -1;
    if (!task_state_is_final(task->state))
        return 0;
    if (ledger_task_event(ledger, task, task->run ? task->run->run_id : 0,
                          task->state == TASK_DONE     ? "task.done"
                          : task->state == TASK_FAILED ? "task.failed"
                                                       : "task.cancelled",
                          reason, err) < 0)
        return -1;
    if (task->run)
        ledger_forget_run(ledger, task->run);
    return end_job_tasks(ledger, job, err);
}

static int move_run(struct ledger *ledger,
                    struct run *run,
                    enum attempt_event event,
                    const char *reason,
                    struct err *err)
{
    enum attempt_state before = run->state;

    if (!attempt_state_step(&run->state, event))
        return err_set(err, ERR_INTERNAL, "run %" PRIu64 " is %s: no move by event %d",
                       run->run_id, attempt_state_name(before), event);
    if (store_attempt_set_state(ledger->store, run->run_id, run->state, reason,
                                wall_ms(), err) < 0)
        return -1;
    if (event != ATTEMPT_ON_LOSE && event != ATTEMPT_ON_REFUSE)
        return 0;
    return ledger_task_event(
        ledger, run->task, run->run_id,
        event == ATTEMPT_ON_LOSE ? "attempt.lost" : "attempt.refused", reason, err);
}

static void part_from_worker(struct run *run)
{
    ledger_hand(run, NULL);
    run->await_until_ms = 0;
}

static uint64_t new_run_id(const struct ledger *ledger)
{
    uint64_t run_id;

    do {
        if (getrandom(&run_id, sizeof(run_id), 0) != sizeof(run_id))
            abort(); /* cannot happen below 256 bytes */
        run_id &= INT64_MAX;
    } while (run_id == 0 || ledger_find_run(ledger, run_id));
    return run_id;
}

int ledger_lease(struct run **out,
                 struct ledger *ledger,
                 struct task *task,
                 struct worker *worker,
                 struct err *err)
{
    struct ledger_job *job = task->job;
    const struct store_attempt row = {.run_id = new_run_id(ledger),
                                      .task_id = task->task_id,
                                      .attempt = task->attempts + 1,
                                      .state = ATTEMPT_LEASED,
                                      .host = worker->host,
                                      .card = worker->card,
                                      .leased_wall_ms = wall_ms()};
    char where[300];

    if (store_attempt_add(ledger->store, &row, err) < 0 ||
        move_task(ledger, task, TASK_ON_LEASE, "", err) < 0)
        return -1;
    if (job->state == JOB_WAITING) {
        job->state = JOB_RUNNING;
        if (store_job_set_state(ledger->store, job->job_id, JOB_RUNNING, "", wall_ms(),
                                err) < 0 ||
            ledger_job_event(ledger, job, "job.started", "", err) < 0)
            return -1;
    }
    snprintf(where, sizeof(where), "host=%s card=%d", worker->host, worker->card);
    if (ledger_task_event(ledger, task, row.run_id, "task.leased", where, err) < 0)
        return -1;
    struct run *run =
        ledger_add_run(ledger, task, row.run_id, worker->host, worker->card);
    task->attempts++;
    run->state = ATTEMPT_LEASED;
    run->simulated = worker->simulated;
    ledger_hand(run, worker);
    *out = run;
    return 0;
}

int ledger_taken(struct ledger *ledger, struct run *run, struct err *err)
{
    run->started = true;
    if (run->state != ATTEMPT_LEASED)
        return 0; /* said again */
    return move_run(ledger, run, ATTEMPT_ON_TAKEN, "", err);
}

/* Once more, or not. `counts`: against the job's retries; `on`: what happened. */
static int again_or_end(struct ledger *ledger,
                        struct task *task,
                        bool counts,
                        unsigned on,
                        const char *reason,
                        struct err *err)
{
    const struct job_settings *settings = job_settings(task->job->job);
    bool again = counts ? task->spent < settings->retries && (settings->retry_on & on)
                        : task->attempts < settings->retries + IDLE_ATTEMPTS_MAX;

    if (counts)
        task->spent++;
    if (task->job->cancelled)
        return move_task(ledger, task, TASK_ON_CANCEL, reason, err);
    if (!again)
        return move_task(ledger, task, TASK_ON_FAIL, reason, err);
    if (task->state == TASK_WAITING)
        return 0; /* came late: it waits already */
    return move_task(ledger, task, TASK_ON_AGAIN, reason, err);
}

/* What failed is over, also when its task goes on. */
static int forget_attempt(struct ledger *ledger, struct task *task)
{
    if (task->run)
        ledger_forget_run(ledger, task->run);
    return 0;
}

int ledger_refused(struct ledger *ledger,
                   struct run *run,
                   const char *reason,
                   struct err *err)
{
    struct task *task = run->task;

    if (run->state != ATTEMPT_LEASED)
        return 0;
    part_from_worker(run);
    if (move_run(ledger, run, ATTEMPT_ON_REFUSE, reason, err) < 0)
        return -1;
    return again_or_end(ledger, task, false, 0, reason, err) < 0
               ? -1
               : forget_attempt(ledger, task);
}

int ledger_lost(struct ledger *ledger,
                struct run *run,
                const char *reason,
                struct err *err)
{
    part_from_worker(run);
    if (run->state != ATTEMPT_LEASED && run->state != ATTEMPT_RUNNING)
        return 0; /* its result is in */
    log_info("run lost: run=%" PRIu64 " job=%s point=%" PRIu64 " host=%s card=%d: %s",
             run->run_id, run->task->job->key, run->task->point, run->host, run->card,
             reason);
    if (move_run(ledger, run, ATTEMPT_ON_LOSE, reason, err) < 0)
        return -1;
    return again_or_end(ledger, run->task, run->started, JOB_RETRY_WORKER_LOST, reason,
                        err);
}

int ledger_back(struct ledger *ledger,
                struct run *run,
                struct worker *worker,
                struct err *err)
{
    if (run->state == ATTEMPT_LOST) {
        if (move_task(ledger, run->task, TASK_ON_LEASE, "", err) < 0)
            return -1;
        if (run->started && run->task->spent > 0)
            run->task->spent--;
    }
    if (run->state != ATTEMPT_PARSING)
        ledger_hand(run, worker);
    run->await_until_ms = 0;
    run->started = true;
    if (run->state == ATTEMPT_LEASED || run->state == ATTEMPT_LOST)
        return move_run(ledger, run, ATTEMPT_ON_TAKEN, "", err);
    return 0;
}

int ledger_cancel(struct ledger *ledger, struct ledger_job *job, struct err *err)
{
    job->cancelled = true;
    job->changed = true;
    for (uint64_t i = 0; i < job->task_count; i++)
        if (job->tasks[i].state == TASK_WAITING &&
            move_task(ledger, &job->tasks[i], TASK_ON_CANCEL, "cancelled", err) < 0)
            return -1;
    return 0;
}

/* Groups and results */

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
                 struct run *run,
                 const struct captures_group *group,
                 char **refused,
                 struct err *err)
{
    struct captures *captures;
    bool already;

    *refused = NULL;
    if (get_captures(&captures, ledger, run->task->job, err) < 0)
        return -1;
    if (captures_put(captures, group, &already, err) == 0)
        return 0;
    if (err->code != ERR_INPUT && err->code != ERR_CONFLICT && err->code != ERR_LIMIT)
        return -1;
    *refused = xstrdup(err->text);
    return 0;
}

static int check_groups(char **complaint,
                        struct ledger *ledger,
                        struct run *run,
                        const struct msg_rank_result *result,
                        struct err *err)
{
    struct captures_totals totals = {0};
    struct captures *captures;

    *complaint = NULL;
    if (result->groups == 0)
        return 0;
    if (get_captures(&captures, ledger, run->task->job, err) < 0 ||
        captures_count(captures, run->run_id, &totals, err) < 0)
        return -1;
    if (totals.groups != result->groups)
        *complaint = xasprintf("%" PRIu64 " groups were sent, %" PRIu64 " are here",
                               result->groups, totals.groups);
    return 0;
}

static int put_rank(struct ledger *ledger,
                    const struct run *run,
                    const struct worker *worker,
                    const struct msg_rank_result *result,
                    enum parse_state parse_state,
                    struct err *err)
{
    const struct store_rank row = {
        .run_id = run->run_id,
        .rank = (uint32_t)result->rank,
        .host = worker->host,
        .card = worker->card,
        .model = worker->model,
        .serial = worker->serial,
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

    return store_rank_put(ledger->store, &row, err);
}

static int good_result(struct ledger *ledger, struct run *run, struct err *err)
{
    struct task *task = run->task;

    if (move_run(ledger, run, ATTEMPT_ON_RESULT, "", err) < 0 ||
        move_task(ledger, task, TASK_ON_RESULT, "", err) < 0 ||
        store_task_accept(ledger->store, task->task_id, run->run_id, err) < 0)
        return -1;
    if (job_settings(task->job->job)->metrics.count > 0) {
        ledger_want_parse(ledger, run);
        return 0;
    }
    if (move_run(ledger, run, ATTEMPT_ON_PARSED, "", err) < 0)
        return -1;
    return move_task(ledger, task, TASK_ON_PARSED, "", err);
}

static const char *tell_reason(char out[200],
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
    return out;
}

static int bad_result(struct ledger *ledger,
                      struct run *run,
                      enum rank_status status,
                      const char *reason,
                      struct err *err)
{
    struct task *task = run->task;
    unsigned on = status == RANK_TIMEOUT ? JOB_RETRY_TIMEOUT
                  : status == RANK_LOST  ? JOB_RETRY_WORKER_LOST
                                         : JOB_RETRY_FAILED;

    bool cancelled = status == RANK_CANCELLED;

    if (move_run(ledger, run, cancelled ? ATTEMPT_ON_CANCEL : ATTEMPT_ON_FAIL, reason,
                 err) < 0 ||
        again_or_end(ledger, task, !cancelled, on, reason, err) < 0)
        return -1;
    return forget_attempt(ledger, task);
}

int ledger_result(struct ledger *ledger,
                  struct run *run,
                  const struct worker *worker,
                  const struct msg_rank_result *result,
                  struct err *err)
{
    enum rank_status status;
    char *complaint, reason[200];

    if (run->state == ATTEMPT_PARSING)
        return 0; /* said again */
    if (!rank_status_parse(result->status, &status))
        status = RANK_FAILED; /* a word of a newer worker */
    if (check_groups(&complaint, ledger, run, result, err) < 0)
        return -1;
    bool good = status == RANK_DONE && !complaint;
    bool parses = good && job_settings(run->task->job->job)->metrics.count > 0;
    run->simulated = worker->simulated;
    part_from_worker(run);
    if (complaint)
        snprintf(reason, sizeof(reason), "%s", complaint);
    else
        tell_reason(reason, status, result);
    if (complaint && status == RANK_DONE)
        status = RANK_LOST;
    free(complaint);
    if (put_rank(ledger, run, worker, result, parses ? PARSE_WAITING : PARSE_NONE,
                 err) < 0)
        return -1;
    return good ? good_result(ledger, run, err)
                : bad_result(ledger, run, status, reason, err);
}

int ledger_metric(struct ledger *ledger,
                  const struct store_metric *metric,
                  struct err *err)
{
    const struct run *run = ledger_find_run(ledger, metric->run_id);
    struct store_metric row = *metric;

    row.simulated = run && run->simulated;
    return run ? store_metric_add(ledger->store, &row, err) : 0;
}

int ledger_output(struct ledger *ledger,
                  uint64_t run_id,
                  uint32_t rank,
                  const char *path,
                  struct err *err)
{
    return store_output_add(ledger->store, run_id, rank, path, err);
}

int ledger_parsed(struct ledger *ledger,
                  struct run *run,
                  bool good,
                  const char *error,
                  struct err *err)
{
    struct task *task = run->task;
    char reason[256];

    snprintf(reason, sizeof(reason), good ? "%s" : "parsing: %s", error);
    if (store_rank_set_parse(ledger->store, run->run_id, 0,
                             good ? PARSE_DONE : PARSE_FAILED, error, err) < 0 ||
        move_run(ledger, run, good ? ATTEMPT_ON_PARSED : ATTEMPT_ON_FAIL, reason, err) <
            0)
        return -1;
    if (!good &&
        ledger_task_event(ledger, task, run->run_id, "parse.failed", error, err) < 0)
        return -1;
    return move_task(ledger, task, good ? TASK_ON_PARSED : TASK_ON_FAIL, reason, err);
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
    if (store_job_set_state(ledger->store, job->job_id, job->state, reason, wall_ms(),
                            err) < 0)
        return -1;
    snprintf(ended, sizeof(ended), "%s%s%s", job_state_name(job->state),
             *reason ? ": " : "", reason);
    return ledger_job_event(ledger, job, "job.ended", ended, err);
}
