#include "coordinator/sessions/log_relay.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/sessions/worker_sessions.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

enum { WHY_MAX = 400 };

/* Where the rank is, or was. */
struct place {
    uint64_t run_id, rank;
    char host[256];
    int32_t card;
    bool found;
};

static void answer(struct sessions *control,
                   const struct peer *client,
                   const struct msg_log_piece *piece)
{
    outbox_send(control->outbox, control->link, client, MSG_LOG_PIECE, piece);
}

static int look(const struct store_rank *row, void *arg, struct err *err)
{
    struct place *place = arg;

    (void)err;
    if (row->run_id != place->run_id || row->rank != place->rank)
        return 0;
    snprintf(place->host, sizeof(place->host), "%s", row->host);
    place->card = row->card;
    place->found = true;
    return 0;
}

/* An attempt that goes on is in memory, one that has ended in the store. */
static int find_place(struct place *place,
                      const struct sessions *control,
                      struct store *store,
                      uint64_t job_id,
                      struct err *err)
{
    const struct attempt *attempt = ledger_find_attempt(control->ledger, place->run_id);
    const struct attempt_rank *rank =
        attempt ? ledger_find_rank(attempt, place->rank) : NULL;

    if (!attempt)
        return store_each_rank(store, job_id, look, place, err);
    if (!rank || !rank->host)
        return 0;
    snprintf(place->host, sizeof(place->host), "%s", rank->host);
    place->card = rank->card;
    place->found = true;
    return 0;
}

static const struct task *find_task(const struct sessions *control,
                                    const struct msg_read_log *question)
{
    const struct ledger_job *job = ledger_find_job(control->ledger, question->job_id);

    for (uint64_t i = 0; job && i < job->task_count; i++)
        if (job->tasks[i].point == question->point &&
            job->tasks[i].repeat == question->repeat)
            return &job->tasks[i];
    return NULL;
}

/* The oldest place goes to the newest question: tickets only grow. */
static struct log_relay_waiter *wait_for(struct log_relay *logs)
{
    struct log_relay_waiter *waiter =
        &logs->waiting[++logs->tickets % LOG_RELAY_WAITING];

    waiter->ticket = logs->tickets;
    return waiter;
}

int log_relay_ask(struct sessions *control,
                  struct store *store,
                  const struct peer *client,
                  const struct msg_read_log *question,
                  struct err *err)
{
    const struct task *task = find_task(control, question);
    struct place place = {.run_id = task && task->attempt ? task->attempt->run_id
                                                          : question->run_id,
                          .rank = question->rank};
    uint64_t from = place.run_id == question->run_id ? question->from : 0;
    struct msg_log_piece piece = {.run_id = place.run_id,
                                  .ended = !task || task_state_is_final(task->state)};
    char why[WHY_MAX];

    if (place.run_id == 0) { /* it waits, or it ended without a start */
        answer(control, client, &piece);
        return 0;
    }
    if (find_place(&place, control, store, question->job_id, err) < 0)
        return -1;
    const struct worker *worker =
        place.found ? workers_find_card(&control->workers, place.host, place.card)
                    : NULL;
    if (!worker) {
        if (place.found)
            snprintf(why, sizeof(why),
                     "it is on %s, whose worker for card %d is not connected",
                     place.host, place.card);
        else
            snprintf(why, sizeof(why), "this attempt has no rank %llu",
                     (unsigned long long)place.rank);
        piece.note = why;
        answer(control, client, &piece);
        return 0;
    }
    struct log_relay_waiter *waiter = wait_for(&control->logs);
    const struct msg_read_output ask = {.ticket = waiter->ticket,
                                        .run_id = place.run_id,
                                        .rank = place.rank,
                                        .from = from};
    waiter->client = *client;
    waiter->worker = worker->peer;
    waiter->run_id = place.run_id;
    waiter->ended = piece.ended;
    outbox_send(control->outbox, control->link, &worker->peer, MSG_READ_OUTPUT, &ask);
    return 0;
}

void log_relay_handle(struct sessions *control,
                      const struct peer *worker,
                      const struct msg_output *output)
{
    struct log_relay_waiter *waiter =
        &control->logs.waiting[output->ticket % LOG_RELAY_WAITING];

    if (output->ticket == 0 || waiter->ticket != output->ticket ||
        !peer_is_same(&waiter->worker, worker))
        return; /* nobody waits for it (any more) */
    waiter->ticket = 0;
    answer(control, &waiter->client,
           &(struct msg_log_piece){.run_id = waiter->run_id,
                                   .from = output->from,
                                   .data = output->data,
                                   .there = output->there,
                                   .ended = waiter->ended});
}
