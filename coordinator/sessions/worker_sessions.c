#include "coordinator/sessions/worker_sessions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"

enum {
    REST_MS = 1000, /* a card that refused a lease gets no other one for this time */
    SILENCE_MS = LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS,
    STOP_MS = 30000, /* the other ranks must end in this time after one has failed */
};

struct sessions *sessions_create(struct ledger *ledger,
                                 struct fleet *fleet,
                                 struct outbox *outbox,
                                 struct link *link,
                                 const char *store_id)
{
    struct sessions *sessions = xcalloc(1, sizeof(*sessions));

    sessions->ledger = ledger;
    sessions->fleet = fleet;
    sessions->outbox = outbox;
    sessions->link = link;
    sessions->store_id = store_id;
    sessions->barriers = barriers_create(barrier_relay_release, sessions);
    return sessions;
}

void sessions_destroy(struct sessions *sessions)
{
    if (!sessions)
        return;
    barriers_destroy(sessions->barriers);
    free(sessions);
}

static int lose_worker(struct sessions *sessions,
                       struct worker *worker,
                       const char *reason,
                       struct err *err)
{
    log_warning("worker lost: host=%s card=%d reason=\"%s\"", worker->host,
                worker->card, reason);
    if (ledger_worker_lost(sessions->ledger, worker, reason, err) < 0)
        return -1;
    while (worker->ranks)
        if (sessions_mark_rank_lost(sessions, worker->ranks, reason, err) < 0)
            return -1;
    sessions_remove_worker(sessions, worker);
    return 0;
}

/* Messages of workers */

/* Returns the rank when it belongs to this worker's card. */
static struct attempt_rank *find_rank(const struct sessions *sessions,
                                      const struct worker *worker,
                                      uint64_t run_id,
                                      uint64_t number)
{
    struct attempt *attempt = ledger_find_attempt(sessions->ledger, run_id);
    struct attempt_rank *rank = attempt ? ledger_find_rank(attempt, number) : NULL;
    bool is_on_card = rank && rank->host && rank->card == worker->card &&
                      strcmp(rank->host, worker->host) == 0;

    return is_on_card ? rank : NULL;
}

/* Counts a fault of the card. Drains the card when it has CARD_FAULTS_MAX in a row. */
static int count_fault(struct sessions *sessions,
                       const struct worker *worker,
                       const char *what,
                       struct err *err)
{
    uint32_t count =
        card_faults_add(&sessions->fleet->faults, worker->host, worker->card, what);
    char reason[320];

    log_warning("card fault: host=%s card=%d faults=%u reason=\"%s\"", worker->host,
                worker->card, count, what);
    if (ledger_card_fault(sessions->ledger, worker, what, err) < 0)
        return -1;
    if (count < CARD_FAULTS_MAX ||
        drains_find(sessions->fleet->drains, worker->host, worker->card))
        return 0;
    snprintf(reason, sizeof(reason), "quarantine: %u faults in a row: %.200s", count,
             what);
    card_faults_remove(&sessions->fleet->faults, worker->host, worker->card);
    if (drains_add(sessions->fleet->drains, worker->host, worker->card, reason, err) <
        0)
        return -1;
    return ledger_card_drained(sessions->ledger, worker->host, worker->card, reason,
                               err);
}

static int on_result(struct sessions *sessions,
                     struct worker *worker,
                     const struct msg_rank_result *result,
                     struct err *err)
{
    struct attempt_rank *rank =
        find_rank(sessions, worker, result->run_id, result->rank);
    const struct msg_result_ack ack = {result->run_id, result->rank};
    enum rank_status status;

    if (!rank_status_parse(result->status, &status))
        status = RANK_FAILED; /* a status that only a newer version has */
    if (rank && !ledger_rank_has_process(rank)) {
        log_warning(
            "result refused: run_id=%" PRIu64 " rank=%" PRIu64
            " host=%s card=%d reason=\"this rank only lends its card and has no "
            "process\"",
            result->run_id, result->rank, worker->host, worker->card);
    } else if (rank) {
        worker->ranks_ended++;
        worker->began_ms = clock_mono_ms(); /* its next rank begins now */
        if (status != RANK_DONE && status != RANK_CANCELLED)
            worker->ranks_failed++;
        if (result->card_fault &&
            count_fault(sessions, worker, result->reason, err) < 0)
            return -1;
        if (status == RANK_DONE && !result->card_fault)
            card_faults_remove(&sessions->fleet->faults, worker->host, worker->card);
        if (rank->number == 0)
            sessions_release_lent_cards(sessions, rank->attempt);
        if (ledger_result(sessions->ledger, rank, worker, result, err) < 0)
            return -1;
    } else {
        log_debug("result of an old attempt ignored: run_id=%" PRIu64 " host=%s",
                  result->run_id, worker->host);
    }
    /* also after a refusal, so that the worker deletes the result */
    outbox_send_with_next_commit(sessions->outbox, sessions->link, &worker->peer,
                                 MSG_RESULT_ACK, &ack);
    return 0;
}

static int on_taken(struct sessions *sessions,
                    struct worker *worker,
                    const struct msg_lease_taken *taken,
                    struct err *err)
{
    struct attempt_rank *rank = find_rank(sessions, worker, taken->run_id, taken->rank);

    if (rank && rank->worker == worker)
        return ledger_taken(sessions->ledger, rank, err);
    sessions_send_stop(sessions, worker, taken->run_id, taken->rank,
                       "this attempt has ended");
    return 0;
}

static int on_refused(struct sessions *sessions,
                      struct worker *worker,
                      const struct msg_lease_refused *refused,
                      struct err *err)
{
    struct attempt_rank *rank =
        find_rank(sessions, worker, refused->run_id, refused->rank);
    /* a card with a fault refuses all leases that were sent to it: that is one fault */
    bool is_counted = worker->rest_until_ms > clock_mono_ms();

    if (!rank || rank->worker != worker)
        return 0;
    if (refused->card_fault && !is_counted &&
        count_fault(sessions, worker, refused->reason, err) < 0)
        return -1;
    if (!rank->recalled && rank->attempt->state != ATTEMPT_ENDING)
        worker_start_rest(worker, clock_mono_ms() + REST_MS);
    if (rank->number == 0)
        sessions_release_lent_cards(sessions, rank->attempt);
    return ledger_refused(sessions->ledger, rank, refused->reason, err);
}

/* Handles the exit of a worker: its unstarted leases go to other cards at once. */
static int on_bye(struct sessions *sessions,
                  struct worker *worker,
                  const char *reason,
                  struct err *err)
{
    log_info("worker disconnected: host=%s card=%d reason=\"%s\"", worker->host,
             worker->card, reason);
    if (ledger_worker_left(sessions->ledger, worker, reason, err) < 0)
        return -1;
    while (worker->ranks) {
        struct attempt_rank *rank = worker->ranks;
        int result = rank->state == RANK_STATE_LEASED
                         ? ledger_refused(sessions->ledger, rank, reason, err)
                         : sessions_mark_rank_lost(sessions, rank, reason, err);

        if (result < 0)
            return -1;
    }
    sessions_remove_worker(sessions, worker);
    return 0;
}

/* Asks an unknown worker for its hello: the coordinator has restarted, or has marked
 * the worker as lost. Only heartbeats are answered, so that one request per beat is
 * sent. */
static void ask_for_hello(struct sessions *sessions, const struct incoming *in)
{
    const struct msg_refused refused = {
        refusal_word(ERR_NOT_FOUND),
        "the coordinator has no session for this worker; send worker_hello first"};

    if (in->kind->type == MSG_HEARTBEAT)
        outbox_send(sessions->outbox, sessions->link, &in->peer, MSG_REFUSED, &refused);
}

/* Sends the reply past the outbox: it needs no commit, and causes none. */
static void answer_heartbeat(struct sessions *sessions, const struct incoming *in)
{
    const struct msg_heartbeat_reply reply = {in->message.heartbeat.run_id};
    struct err ignored; /* a worker that has left or does not read gets no reply */

    link_send(sessions->link, &in->peer, MSG_HEARTBEAT_REPLY, &reply, &ignored);
}

int sessions_handle_message(struct sessions *sessions,
                            const struct incoming *in,
                            bool *handled,
                            struct err *err)
{
    enum message_type type = in->kind->type;
    struct worker *worker;

    *handled = type < MSG_WELCOME; /* the numbers of workers */
    if (!*handled)
        return 0;
    if (type == MSG_WORKER_HELLO)
        return worker_hello_handle(sessions, in, err);
    worker = workers_find(&sessions->fleet->workers, &in->peer);
    if (!worker) {
        ask_for_hello(sessions, in);
        return 0;
    }
    worker->received_ms = clock_mono_ms();
    switch (type) {
    case MSG_HEARTBEAT:
        answer_heartbeat(sessions, in);
        return 0;
    case MSG_LEASE_TAKEN:
        return on_taken(sessions, worker, &in->message.lease_taken, err);
    case MSG_LEASE_REFUSED:
        return on_refused(sessions, worker, &in->message.lease_refused, err);
    case MSG_OUTPUT:
        log_relay_handle(sessions, &in->peer, &in->message.output);
        return 0;
    case MSG_CARD_FAULT:
        return count_fault(sessions, worker, in->message.card_fault.reason, err);
    case MSG_WORKER_BYE:
        return on_bye(sessions, worker, in->message.worker_bye.reason, err);
    case MSG_BARRIER_ARRIVE:
    case MSG_BARRIER_ABORT:
    case MSG_CLOCK_PING:
        barrier_relay_handle(sessions, worker, in);
        return 0;
    case MSG_RANK_RESULT:
        return on_result(sessions, worker, &in->message.rank_result, err);
    default:
        *handled = false;
        return 0;
    }
}

static int lose_overdue_ranks(struct sessions *sessions,
                              struct attempt *attempt,
                              uint64_t now,
                              bool *moved,
                              struct err *err)
{
    for (uint32_t i = 0; i < attempt->rank_count && !*moved; i++) {
        struct attempt_rank *rank = &attempt->ranks[i];

        if (rank->worker || !rank->await_until_ms || rank->await_until_ms > now)
            continue;
        *moved = true; /* the attempt may be freed */
        return sessions_mark_rank_lost(sessions, rank, "its worker did not return",
                                       err);
    }
    if (attempt->stay_until_ms && attempt->stay_until_ms <= now &&
        attempt->state == ATTEMPT_RUNNING) {
        *moved = true;
        return ledger_end_incomplete(sessions->ledger, attempt, err);
    }
    if (attempt->ending_until_ms && attempt->ending_until_ms <= now) {
        *moved = true;
        return ledger_close_overdue(sessions->ledger, attempt, err);
    }
    return 0;
}

static int lose_overdue(struct sessions *sessions, uint64_t now, struct err *err)
{
    struct attempt *attempt;

    for (size_t cursor = 0;
         (attempt = ledger_next_attempt(sessions->ledger, &cursor));) {
        bool moved = false;

        if (lose_overdue_ranks(sessions, attempt, now, &moved, err) < 0)
            return -1;
        if (moved)
            cursor = 0; /* the table of attempts may have changed */
    }
    return 0;
}

int sessions_tick(struct sessions *sessions, uint64_t now_ms, struct err *err)
{
    uint64_t late = sessions->ticked_ms ? now_ms - sessions->ticked_ms : 0;
    char reason[80];

    /* While the coordinator was busy, heartbeats arrived and were not read. */
    late = late > 2 * LINK_HEARTBEAT_MS ? late : 0;
    sessions->ticked_ms = now_ms;
    for (struct worker *worker = sessions->fleet->workers.first, *next; worker;
         worker = next) {
        next = worker->next;
        worker->received_ms += late;
        if (worker->received_ms + SILENCE_MS >= now_ms)
            continue;
        snprintf(reason, sizeof(reason), "worker silent for %" PRIu64 " ms",
                 now_ms - worker->received_ms);
        if (lose_worker(sessions, worker, reason, err) < 0)
            return -1;
    }
    return lose_overdue(sessions, now_ms, err);
}

void sessions_stop_failed_attempts(struct sessions *sessions)
{
    uint64_t until_ms = clock_mono_ms() + STOP_MS;
    const struct attempt *attempt;

    while ((attempt = ledger_take_stop(sessions->ledger, until_ms))) {
        char reason[260];

        snprintf(reason, sizeof(reason), "rank %u: %s", attempt->failure.rank,
                 attempt->failure.reason);
        barriers_end(sessions->barriers, attempt->run_id, attempt->failure.rank,
                     reason);
        for (uint32_t i = 0; i < attempt->rank_count; i++)
            sessions_stop_rank(sessions, &attempt->ranks[i], reason);
    }
}
