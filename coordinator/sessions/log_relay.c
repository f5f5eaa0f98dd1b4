/* log_relay.c - fetches the output of operators from workers, for clients
 *
 * A client requests a piece, the coordinator requests it from the worker of that rank,
 * and forwards the worker's reply. The coordinator stores only which client waits; a
 * client without a reply requests the piece again. */
#include <stdio.h>
#include <string.h>

#include "coordinator/sessions/sessions_internal.h"
#include "lib/store/store.h"

enum { NOTE_MAX = 400 };

struct rank_location { /* host and card on which the rank runs or ran */
    uint64_t run_id, rank;
    char host[256];
    int32_t card;
    bool found;
};

static void send_piece(struct sessions *sessions,
                       const struct peer *client,
                       const struct msg_log_piece *piece)
{
    outbox_send(sessions->outbox, sessions->link, client, MSG_LOG_PIECE, piece);
}

static int read_location(const struct store_rank *row, void *arg, struct err *err)
{
    struct rank_location *location = arg;

    (void)err;
    if (row->run_id != location->run_id || row->rank != location->rank)
        return 0;
    snprintf(location->host, sizeof(location->host), "%s", row->host);
    location->card = row->card;
    location->found = true;
    return 0;
}

/* An attempt that runs is in memory; one that has ended is in the store. An attempt of
 * another job than the requested one is not found. */
static int find_location(struct rank_location *location,
                         const struct sessions *sessions,
                         struct store *store,
                         uint64_t job_id,
                         struct err *err)
{
    const struct attempt *attempt =
        ledger_find_attempt(sessions->ledger, location->run_id);
    const struct attempt_rank *rank =
        attempt ? ledger_find_rank(attempt, location->rank) : NULL;

    if (!attempt)
        return store_each_rank(store, job_id, read_location, location, err);
    if (!rank || !rank->host || attempt->task->job->job_id != job_id)
        return 0;
    snprintf(location->host, sizeof(location->host), "%s", rank->host);
    location->card = rank->card;
    location->found = true;
    return 0;
}

static const struct task *find_task(const struct sessions *sessions,
                                    const struct msg_read_log *request)
{
    const struct ledger_job *job = ledger_find_job(sessions->ledger, request->job_id);

    for (uint64_t i = 0; job && i < job->task_count; i++)
        if (job->tasks[i].point == request->point &&
            job->tasks[i].repeat == request->repeat)
            return &job->tasks[i];
    return NULL;
}

/* Reuses the oldest entry: tickets only increase. */
static struct log_request *add_request(struct sessions *sessions)
{
    uint64_t ticket = ++sessions->log_tickets;
    struct log_request *request = &sessions->log_requests[ticket % LOG_REQUESTS_MAX];

    request->ticket = ticket;
    return request;
}

static void explain_no_output(char note[NOTE_MAX], const struct rank_location *location)
{
    if (location->found)
        snprintf(note, NOTE_MAX,
                 "the output is on host %s; the worker for card %d is not connected",
                 location->host, location->card);
    else
        snprintf(note, NOTE_MAX, "this attempt has no rank %llu",
                 (unsigned long long)location->rank);
}

int sessions_read_log(struct sessions *sessions,
                      struct store *store,
                      const struct peer *client,
                      const struct msg_read_log *request,
                      struct err *err)
{
    const struct task *task = find_task(sessions, request);
    struct rank_location location = {
        .run_id = task && task->attempt ? task->attempt->run_id : request->run_id,
        .rank = request->rank};
    uint64_t from = location.run_id == request->run_id ? request->from : 0;
    struct msg_log_piece piece = {.run_id = location.run_id,
                                  .ended = !task || task_state_is_final(task->state)};
    char note[NOTE_MAX];

    if (location.run_id == 0) { /* the task waits, or ended before its first start */
        send_piece(sessions, client, &piece);
        return 0;
    }
    if (find_location(&location, sessions, store, request->job_id, err) < 0)
        return -1;
    const struct worker *worker =
        location.found
            ? workers_find_card(&sessions->fleet->workers, location.host, location.card)
            : NULL;
    if (!worker) {
        explain_no_output(note, &location);
        piece.note = note;
        send_piece(sessions, client, &piece);
        return 0;
    }
    struct log_request *waiting = add_request(sessions);
    const struct msg_read_output read_output = {.ticket = waiting->ticket,
                                                .run_id = location.run_id,
                                                .rank = location.rank,
                                                .from = from};
    waiting->client = *client;
    waiting->worker = worker->peer;
    waiting->run_id = location.run_id;
    waiting->task_ended = piece.ended;
    sessions_send(sessions, worker, MSG_READ_OUTPUT, &read_output);
    return 0;
}

void log_relay_handle(struct sessions *sessions,
                      const struct peer *worker,
                      const struct msg_output *output)
{
    struct log_request *request =
        &sessions->log_requests[output->ticket % LOG_REQUESTS_MAX];

    if (output->ticket == 0 || request->ticket != output->ticket ||
        !peer_is_same(&request->worker, worker))
        return; /* no client waits for this reply any more */
    request->ticket = 0;
    send_piece(sessions, &request->client,
               &(struct msg_log_piece){.run_id = request->run_id,
                                       .from = output->from,
                                       .data = output->data,
                                       .there = output->there,
                                       .ended = request->task_ended});
}
