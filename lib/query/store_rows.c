#include "lib/query/store_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"

enum { NS_PER_MS = 1000000 };

struct store_rows {
    row_fn *fn;
    void *arg;
    bool active_only;
    const char *out;
    struct map *attempts; /* by task_id: struct latest_attempt; NULL: none is read */
};

uint64_t store_rows_exit_code(enum job_state state, uint64_t failed, uint64_t cancelled)
{
    if (state == JOB_DONE)
        return 0;
    if (state == JOB_CANCELLED || cancelled > 0)
        return 5;              /* incomplete */
    return failed > 0 ? 1 : 7; /* all tasks are done, but the report failed */
}

static int job_row(const struct store_job *job, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    const struct msg_job_row row = {
        .job_id = job->job_id,
        .job_key = job->key,
        .state = job_state_name(job->state),
        .user = job->user,
        .tasks = job->tasks_total,
        .waiting = job->tasks_waiting,
        .running = job->tasks_leased + job->tasks_parsing,
        .done = job->tasks_done,
        .failed = job->tasks_failed,
        .cancelled = job->tasks_cancelled,
        .submitted_wall_ns = job->submitted_wall_ms * NS_PER_MS,
        .ended_wall_ns = job->ended_wall_ms * NS_PER_MS,
        .compare_against = job->compare_against,
        .compare_metric = job->compare_metric,
        .compare_tolerance = job->compare_tolerance,
    };

    (void)err;
    if (!rows->active_only || !job_state_is_final(job->state))
        rows->fn(MSG_JOB_ROW, &row, rows->arg);
    return 0;
}

int store_rows_jobs(struct store *store,
                    bool active_only,
                    row_fn *fn,
                    void *arg,
                    struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg, .active_only = active_only};

    return store_each_job(store, 0, job_row, &rows, err);
}

int store_rows_job(struct store *store,
                   uint64_t job_id,
                   row_fn *fn,
                   void *arg,
                   struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_job_read(store, job_id, job_row, &rows, err);
}

int store_rows_uncounted_jobs(struct store *store,
                              row_fn *fn,
                              void *arg,
                              struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_uncounted_job(store, job_row, &rows, err);
}

static int progress_row(const struct store_job *job, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    char *out = xasprintf("%s/%s", rows->out, job->key);
    const struct msg_job_progress row = {
        .job_id = job->job_id,
        .job_key = job->key,
        .state = job_state_name(job->state),
        .final = job_state_is_final(job->state),
        .exit_code = job_state_is_final(job->state)
                         ? store_rows_exit_code(job->state, job->tasks_failed,
                                                job->tasks_cancelled)
                         : 0,
        .tasks = job->tasks_total,
        .waiting = job->tasks_waiting,
        .running = job->tasks_leased,
        .parsing = job->tasks_parsing,
        .done = job->tasks_done,
        .failed = job->tasks_failed,
        .cancelled = job->tasks_cancelled,
        .note = job->reason,
        .out = out,
        .started = job->tasks_leased,
    };

    (void)err;
    rows->fn(MSG_JOB_PROGRESS, &row, rows->arg);
    free(out);
    return 0;
}

int store_rows_progress(struct store *store,
                        uint64_t job_id,
                        const char *out,
                        row_fn *fn,
                        void *arg,
                        struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg, .out = out};

    return store_job_read(store, job_id, progress_row, &rows, err);
}

/* Tasks with their latest attempt and its ranks */

struct latest_attempt {
    uint64_t run_id;
    char *host, *status, *reason;
    int32_t card;
    int64_t exit_code;
    uint64_t launches, started_ns, ended_ns;
    uint64_t ranks, done;
};

static void free_latest_attempt(struct latest_attempt *attempt)
{
    if (!attempt)
        return;
    free(attempt->host);
    free(attempt->status);
    free(attempt->reason);
    free(attempt);
}

static const char *task_key(char out[24], uint64_t task_id)
{
    snprintf(out, 24, "%" PRIu64, task_id);
    return out;
}

static int keep_attempt(const struct store_attempt *row, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    struct latest_attempt *attempt = xcalloc(1, sizeof(*attempt));
    char key[24];

    (void)err;
    attempt->run_id = row->run_id;
    attempt->ranks = row->ranks;
    attempt->host = xstrdup(row->host);
    attempt->card = row->card;
    attempt->reason = xstrdup(row->reason);
    attempt->started_ns = row->started_wall_ms * NS_PER_MS;
    attempt->ended_ns = row->ended_wall_ms * NS_PER_MS;
    free_latest_attempt(map_put(rows->attempts, task_key(key, row->task_id), attempt));
    return 0;
}

static bool is_done(const char *status)
{
    return strcmp(status, rank_status_word(RANK_DONE)) == 0;
}

/* Returns how much a status explains: a rank that was cancelled because of another rank
 * explains less than that rank. */
static int weight(const char *status)
{
    return is_done(status)                                         ? 0
           : strcmp(status, rank_status_word(RANK_CANCELLED)) == 0 ? 1
                                                                   : 2;
}

static int keep_rank(const struct store_rank *row, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    char key[24];
    struct latest_attempt *attempt =
        map_get(rows->attempts, task_key(key, row->task_id));

    (void)err;
    if (!attempt || attempt->run_id != row->run_id)
        return 0;
    attempt->done += is_done(row->status);
    attempt->launches += row->launches;
    if (row->rank == 0)
        attempt->started_ns = row->started_wall_ns;
    if (row->ended_wall_ns > attempt->ended_ns || row->rank == 0)
        attempt->ended_ns = row->ended_wall_ns;
    if (attempt->status && weight(row->status) <= weight(attempt->status))
        return 0;
    free(attempt->status);
    attempt->status = xstrdup(row->status);
    attempt->exit_code = row->exit_code;
    return 0;
}

static int task_row(const struct store_task *task, void *arg, struct err *err)
{
    static const struct latest_attempt none = {0};
    struct store_rows *rows = arg;
    char key[24];
    const struct latest_attempt *attempt =
        rows->attempts ? map_get(rows->attempts, task_key(key, task->task_id)) : NULL;

    (void)err;
    if (!attempt)
        attempt = &none;
    const struct msg_task_row row = {
        .job_id = task->job_id,
        .point = task->point,
        .repeat = task->repeat,
        .point_text = task->point_text,
        .state = task_state_name(task->state),
        .attempt = task->attempts,
        .run_id = attempt->run_id,
        .host = attempt->host,
        .card = attempt->card < 0 ? 0 : (uint64_t)attempt->card,
        .status = attempt->status,
        .exit_code = attempt->exit_code,
        .reason = task->reason && *task->reason ? task->reason : attempt->reason,
        .launches = attempt->launches,
        .ranks = attempt->ranks,
        .ranks_done = attempt->done,
        .started_wall_ns = attempt->started_ns,
        .ended_wall_ns = attempt->ended_ns,
    };
    rows->fn(MSG_TASK_ROW, &row, rows->arg);
    return 0;
}

int store_rows_tasks(struct store *store,
                     uint64_t job_id,
                     row_fn *fn,
                     void *arg,
                     struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg, .attempts = map_create()};
    const char *key;
    void *attempt;
    size_t cursor = 0;
    int result = -1;

    if (store_each_attempt(store, job_id, keep_attempt, &rows, err) == 0 &&
        store_each_rank(store, job_id, keep_rank, &rows, err) == 0 &&
        store_each_task(store, job_id, task_row, &rows, err) == 0)
        result = 0;
    while (map_next(rows.attempts, &cursor, &key, &attempt))
        free_latest_attempt(attempt);
    map_destroy(rows.attempts);
    return result;
}

int store_rows_task_states(struct store *store,
                           uint64_t job_id,
                           row_fn *fn,
                           void *arg,
                           struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_task(store, job_id, task_row, &rows, err);
}

static int result_row(const struct store_result *result, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    const struct msg_result_row row = {
        .job_id = result->job_id,
        .point = result->point,
        .repeat = result->repeat,
        .point_text = result->point_text,
        .attempt = result->attempt,
        .run_id = result->run_id,
        .rank = result->rank,
        .host = result->host,
        .device = result->device,
        .simulated = result->simulated,
        .launch = result->launch,
        .kernel = result->kernel,
        .metric = result->metric,
        .value = result->value,
        .unit = result->unit,
        .card = result->card,
        .serial = result->serial,
        .tick_ns = result->tick_ns,
    };

    (void)err;
    rows->fn(MSG_RESULT_ROW, &row, rows->arg);
    return 0;
}

int store_rows_results(struct store *store,
                       uint64_t job_id,
                       const char *metric,
                       row_fn *fn,
                       void *arg,
                       struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_result_of(store, job_id, *metric ? metric : "*", result_row,
                                &rows, err);
}

static int rank_row(const struct store_rank *rank, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    const struct store_environment *environment = &rank->environment;
    const struct msg_rank_row row = {
        .job_id = rank->job_id,
        .point = rank->point,
        .repeat = rank->repeat,
        .point_text = rank->point_text,
        .attempt = rank->attempt,
        .run_id = rank->run_id,
        .accepted = rank->accepted,
        .rank = rank->rank,
        .host = rank->host,
        .card = rank->card,
        .model = rank->model,
        .serial = rank->serial,
        .simulated = rank->simulated,
        .status = rank->status,
        .environment_id = environment->environment_id,
        .chip = environment->chip,
        .hbm_maker = environment->hbm_maker,
        .cann = environment->cann,
        .driver = environment->driver,
        .firmware = environment->firmware,
        .host_kernel = environment->host_kernel,
        .measurement = environment->measurement,
    };

    (void)err;
    rows->fn(MSG_RANK_ROW, &row, rows->arg);
    return 0;
}

int store_rows_ranks(struct store *store,
                     uint64_t job_id,
                     row_fn *fn,
                     void *arg,
                     struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_rank(store, job_id, rank_row, &rows, err);
}

int store_rows_rank_environments(struct store *store,
                                 uint64_t job_id,
                                 row_fn *fn,
                                 void *arg,
                                 struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_rank_environment(store, job_id, 0, rank_row, &rows, err);
}

int store_rows_rank_environment(struct store *store,
                                uint64_t job_id,
                                row_fn *fn,
                                void *arg,
                                struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_rank_environment(store, job_id, 1, rank_row, &rows, err);
}

static int launch_row(const struct store_launch *launch, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    const struct msg_launch_row row = {
        .job_id = launch->job_id,
        .point = launch->point,
        .repeat = launch->repeat,
        .point_text = launch->point_text,
        .run_id = launch->run_id,
        .rank = launch->rank,
        .launch = launch->launch,
        .device = launch->device,
        .kernel = launch->kernel,
        .code_hash = launch->code_hash,
        .tick_ns = launch->tick_ns,
        .group_found = launch->group_found,
        .restored = launch->restored,
        .advice = launch->advice,
        .notes = launch->notes,
    };

    (void)err;
    rows->fn(MSG_LAUNCH_ROW, &row, rows->arg);
    return 0;
}

int store_rows_launches(struct store *store,
                        uint64_t job_id,
                        row_fn *fn,
                        void *arg,
                        struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_launch(store, job_id, launch_row, &rows, err);
}

static uint64_t known_ns(int64_t ns)
{
    return ns < 0 ? 0 : (uint64_t)ns;
}

static double known_us(int64_t ns)
{
    return ns < 0 ? NAN : (double)ns / 1000;
}

static int replay_row(const struct store_replay *replay, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    const struct msg_replay_row row = {
        .job_id = replay->job_id,
        .point = replay->point,
        .repeat = replay->repeat,
        .point_text = replay->point_text,
        .run_id = replay->run_id,
        .rank = replay->rank,
        .launch = replay->launch,
        .device = replay->device,
        .kernel = replay->kernel,
        .replay = replay->replay,
        .pass = replay->pass,
        .duration_us = known_us(replay->duration_ns),
        .started_ns = known_ns(replay->started_ns),
        .arrived_ns = known_ns(replay->arrived_ns),
        .released_ns = known_ns(replay->released_ns),
        .uncertainty_us = known_us(replay->uncertainty_ns),
    };

    (void)err;
    rows->fn(MSG_REPLAY_ROW, &row, rows->arg);
    return 0;
}

int store_rows_replays(struct store *store,
                       uint64_t job_id,
                       row_fn *fn,
                       void *arg,
                       struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};

    return store_each_replay(store, job_id, replay_row, &rows, err);
}

static int event_row(const struct store_event *event, void *arg, struct err *err)
{
    struct store_rows *rows = arg;
    const struct msg_event_row row = {
        .seq = event->seq,
        .at_wall_ns = event->wall_ms * NS_PER_MS,
        .kind = event->kind,
        .job_id = event->job_id,
        .task_id = event->task_id,
        .run_id = event->run_id,
        .text = event->text,
    };

    (void)err;
    rows->fn(MSG_EVENT_ROW, &row, rows->arg);
    return 0;
}

int store_rows_events(struct store *store,
                      uint64_t job_id,
                      uint64_t since,
                      uint64_t newest,
                      row_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct store_rows rows = {.fn = fn, .arg = arg};
    uint64_t last;

    if (newest) {
        if (store_last_event(store, &last, err) < 0)
            return -1;
        if (last > newest && since < last - newest)
            since = last - newest;
    }

    return store_each_event(store, job_id, since, event_row, &rows, err);
}
