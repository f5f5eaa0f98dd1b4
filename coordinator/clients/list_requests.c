#include "coordinator/clients/list_requests.h"

#include "coordinator/allocation/allocator.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "lib/base/clock.h"
#include "lib/query/baseline_rows.h"
#include "lib/query/file_rows.h"
#include "lib/query/store_rows.h"
#include "lib/query/suspect_rows.h"

static void ignore_row(enum message_type type, const void *row, void *arg)
{
    (void)type;
    (void)row;
    (void)arg;
}

int list_find_job(const struct list_sources *sources, uint64_t job_id, struct err *err)
{
    return store_rows_progress(sources->store, job_id, sources->out, ignore_row, NULL,
                               err);
}

int list_stored_progress(const struct list_sources *sources,
                         uint64_t job_id,
                         struct client_reply *reply,
                         struct err *err)
{
    if (store_rows_progress(sources->store, job_id, sources->out, client_reply_row,
                            reply, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    return 0;
}

int list_jobs(const struct list_sources *sources,
              const struct incoming *in,
              struct client_reply *reply,
              struct err *err)
{
    const struct msg_list_jobs *request = &in->message.list_jobs;
    int result =
        request->uncounted
            ? store_rows_uncounted_jobs(sources->store, client_reply_row, reply, err)
            : store_rows_jobs(sources->store, request->active_only, client_reply_row,
                              reply, err);

    if (result < 0)
        return -1;
    client_reply_end(reply);
    return 0;
}

typedef int
rows_fn(struct store *store, uint64_t job_id, row_fn *fn, void *arg, struct err *err);

static int list_of_job(const struct list_sources *sources,
                       uint64_t job_id,
                       rows_fn *list,
                       struct client_reply *reply,
                       struct err *err)
{
    if (list_find_job(sources, job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    if (list(sources->store, job_id, client_reply_row, reply, err) < 0)
        return -1;
    client_reply_end(reply);
    return 0;
}

int list_tasks(const struct list_sources *sources,
               const struct incoming *in,
               struct client_reply *reply,
               struct err *err)
{
    const struct msg_list_tasks *request = &in->message.list_tasks;

    return list_of_job(sources, request->job_id,
                       request->states_only ? store_rows_task_states : store_rows_tasks,
                       reply, err);
}

int list_results(const struct list_sources *sources,
                 const struct incoming *in,
                 struct client_reply *reply,
                 struct err *err)
{
    const struct msg_list_results *request = &in->message.list_results;

    if (list_find_job(sources, request->job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    if (store_rows_results(sources->store, request->job_id, request->metric,
                           client_reply_row, reply, err) < 0)
        return -1;
    client_reply_end(reply);
    return 0;
}

int list_ranks(const struct list_sources *sources,
               const struct incoming *in,
               struct client_reply *reply,
               struct err *err)
{
    const struct msg_list_ranks *request = &in->message.list_ranks;

    return list_of_job(sources, request->job_id,
                       request->environments_only ? store_rows_rank_environments
                                                  : store_rows_ranks,
                       reply, err);
}

int list_launches(const struct list_sources *sources,
                  const struct incoming *in,
                  struct client_reply *reply,
                  struct err *err)
{
    return list_of_job(sources, in->message.list_launches.job_id, store_rows_launches,
                       reply, err);
}

int list_replays(const struct list_sources *sources,
                 const struct incoming *in,
                 struct client_reply *reply,
                 struct err *err)
{
    return list_of_job(sources, in->message.list_replays.job_id, store_rows_replays,
                       reply, err);
}

int list_events(const struct list_sources *sources,
                const struct incoming *in,
                struct client_reply *reply,
                struct err *err)
{
    const struct msg_list_events *request = &in->message.list_events;

    if (store_rows_events(sources->store, request->job_id, request->since,
                          request->newest, client_reply_row, reply, err) < 0)
        return -1;
    client_reply_end(reply);
    return 0;
}

static void send_worker_row(const struct list_sources *sources,
                            const struct worker *worker,
                            uint64_t now_ms,
                            struct client_reply *reply)
{
    const struct fleet *fleet = sources->fleet;
    const struct attempt_rank *rank = worker->ranks; /* that runs, or is next */
    const struct task *task = rank ? rank->attempt->task : NULL;
    const char *fault;
    const char *drained = drains_find(fleet->drains, worker->host, worker->card);
    uint32_t faults =
        card_faults_count(&fleet->faults, worker->host, worker->card, &fault);
    const struct msg_worker_row row = {
        .host = worker->host,
        .card = (uint64_t)worker->card,
        .model = worker->model,
        .serial = worker->serial,
        .simulated = worker->simulated,
        .version = worker->version,
        .pid = worker->pid,
        .state = worker_state_word(worker),
        .run_id = rank ? rank->attempt->run_id : 0,
        .job_key = task ? task->job->key : "",
        .silent_ms = now_ms > worker->received_ms ? now_ms - worker->received_ms : 0,
        .ranks_ended = worker->ranks_ended,
        .point = task ? task->point : 0,
        .repeat = task ? task->repeat : 0,
        .rank = rank ? rank->number : 0,
        .runs_ms = rank ? now_ms - worker->began_ms : 0,
        .ranks_failed = worker->ranks_failed,
        .faults = faults,
        .note = drained ? drained : fault,
    };

    client_reply_row(MSG_WORKER_ROW, &row, reply);
}

int list_workers(const struct list_sources *sources,
                 const struct incoming *in,
                 struct client_reply *reply,
                 struct err *err)
{
    uint64_t now_ms = clock_mono_ms();

    (void)err;
    for (const struct worker *worker = sources->fleet->workers.first; worker;
         worker = worker->next)
        if (!worker->ranks || !in->message.list_workers.idle_only)
            send_worker_row(sources, worker, now_ms, reply);
    client_reply_end(reply);
    return 0;
}

int list_allocations(const struct list_sources *sources,
                     const struct incoming *in,
                     struct client_reply *reply,
                     struct err *err)
{
    (void)err;
    allocator_list(sources->allocator, in->message.list_allocs.allocations,
                   client_reply_row, reply);
    client_reply_end(reply);
    return 0;
}

int list_baselines(const struct list_sources *sources,
                   const struct incoming *in,
                   struct client_reply *reply,
                   struct err *err)
{
    if (baseline_rows(sources->store, &in->message.list_baselines, clock_wall_ns(),
                      client_reply_row, reply, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    client_reply_end(reply);
    return 0;
}

int list_suspects(const struct list_sources *sources,
                  const struct incoming *in,
                  struct client_reply *reply,
                  struct err *err)
{
    return list_of_job(sources, in->message.list_suspects.job_id, suspect_rows, reply,
                       err);
}

/* A file or folder that cannot be read fails the request and not the coordinator. */
static int refuse_file(struct client_reply *reply, const struct err *err)
{
    if (err->code == ERR_STORE)
        return -1;
    client_reply_refuse(reply, err->code, err->text);
    return 0;
}

int list_files(const struct list_sources *sources,
               const struct incoming *in,
               struct client_reply *reply,
               struct err *err)
{
    if (file_rows(sources->store, sources->out, &in->message.list_files,
                  client_reply_row, reply, err) < 0)
        return refuse_file(reply, err);
    client_reply_end(reply);
    return 0;
}

int list_file_piece(const struct list_sources *sources,
                    const struct incoming *in,
                    struct client_reply *reply,
                    struct err *err)
{
    char bytes[MSG_FILES_PIECE];
    struct msg_file_piece piece;

    if (file_rows_piece(&piece, bytes, sources->store, sources->out,
                        &in->message.read_file, err) < 0)
        return refuse_file(reply, err);
    client_reply_send(reply, MSG_FILE_PIECE, &piece);
    return 0;
}
