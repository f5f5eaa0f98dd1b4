#include "coordinator/clients/list_requests.h"

#include "coordinator/allocation/allocator.h"
#include "coordinator/clients/client_reply.h"
#include "lib/base/clock.h"
#include "lib/query/store_rows.h"

/* Only looks whether it is there. */
static void ignore_row(enum message_type type, const void *row, void *arg)
{
    (void)type;
    (void)row;
    (void)arg;
}

int clients_find_job(struct client_requests *clients, uint64_t job_id, struct err *err)
{
    return store_rows_progress(clients->store, job_id, clients->out, ignore_row, NULL,
                               err);
}

int clients_stored_progress(struct client_requests *clients,
                            const struct peer *peer,
                            uint64_t job_id,
                            struct err *err)
{
    struct client_reply answer = {.clients = clients, .peer = peer};

    if (store_rows_progress(clients->store, job_id, clients->out, client_reply_row,
                            &answer, err) < 0)
        return client_reply_refuse_or_fail(clients, peer, err);
    return 0;
}

int clients_list_jobs(struct client_requests *clients,
                      const struct incoming *in,
                      struct err *err)
{
    struct client_reply answer = {.clients = clients, .peer = &in->peer};

    if (store_rows_jobs(clients->store, in->message.list_jobs.active_only,
                        client_reply_row, &answer, err) < 0)
        return -1;
    client_reply_end(&answer);
    return 0;
}

typedef int
list_fn(struct store *store, uint64_t job_id, row_fn *fn, void *arg, struct err *err);

static int list_of_job(struct client_requests *clients,
                       const struct peer *peer,
                       uint64_t job_id,
                       list_fn *list,
                       struct err *err)
{
    struct client_reply answer = {.clients = clients, .peer = peer};

    if (clients_find_job(clients, job_id, err) < 0)
        return client_reply_refuse_or_fail(clients, peer, err);
    if (list(clients->store, job_id, client_reply_row, &answer, err) < 0)
        return -1;
    client_reply_end(&answer);
    return 0;
}

int clients_list_tasks(struct client_requests *clients,
                       const struct incoming *in,
                       struct err *err)
{
    return list_of_job(clients, &in->peer, in->message.list_tasks.job_id,
                       store_rows_tasks, err);
}

int clients_list_results(struct client_requests *clients,
                         const struct incoming *in,
                         struct err *err)
{
    return list_of_job(clients, &in->peer, in->message.list_results.job_id,
                       store_rows_results, err);
}

int clients_list_events(struct client_requests *clients,
                        const struct incoming *in,
                        struct err *err)
{
    const struct msg_list_events *wanted = &in->message.list_events;
    struct client_reply answer = {.clients = clients, .peer = &in->peer};

    if (store_rows_events(clients->store, wanted->job_id, wanted->since, wanted->newest,
                          client_reply_row, &answer, err) < 0)
        return -1;
    client_reply_end(&answer);
    return 0;
}

int clients_list_workers(struct client_requests *clients,
                         const struct incoming *in,
                         struct err *err)
{
    struct client_reply answer = {.clients = clients, .peer = &in->peer};
    uint64_t now = clock_mono_ms();

    (void)err;
    for (const struct worker *worker = clients->control->workers.first; worker;
         worker = worker->next) {
        const char *fault, *drained = drains_find(clients->control->drains,
                                                  worker->host, worker->card);
        uint32_t faults = card_faults_count(&clients->control->faults, worker->host,
                                            worker->card, &fault);
        const struct msg_worker_row row = {
            .host = worker->host,
            .card = (uint64_t)worker->card,
            .model = worker->model,
            .serial = worker->serial,
            .simulated = worker->simulated,
            .version = worker->version,
            .pid = worker->pid,
            .state = worker_state_word(worker),
            .run_id = worker->ranks ? worker->ranks->attempt->run_id : 0,
            .job_key = worker->ranks ? worker->ranks->attempt->task->job->key : "",
            .silent_ms = now > worker->heard_ms ? now - worker->heard_ms : 0,
            .ranks_ended = worker->ranks_ended,
            .point = worker->ranks ? worker->ranks->attempt->task->point : 0,
            .repeat = worker->ranks ? worker->ranks->attempt->task->repeat : 0,
            .rank = worker->ranks ? worker->ranks->number : 0,
            .runs_ms = worker->ranks ? now - worker->began_ms : 0,
            .ranks_failed = worker->ranks_failed,
            .faults = faults,
            .note = drained ? drained : fault,
        };

        if (!worker->ranks || !in->message.list_workers.idle_only)
            client_reply_row(MSG_WORKER_ROW, &row, &answer);
    }
    client_reply_end(&answer);
    return 0;
}

int clients_list_allocs(struct client_requests *clients,
                        const struct incoming *in,
                        struct err *err)
{
    struct client_reply answer = {.clients = clients, .peer = &in->peer};

    (void)err;
    allocator_list(clients->allocator, in->message.list_allocs.allocations,
                   client_reply_row, &answer);
    client_reply_end(&answer);
    return 0;
}
