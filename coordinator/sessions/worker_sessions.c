#include "coordinator/sessions/worker_sessions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/sessions/barrier_relay.h"
#include "coordinator/sessions/sessions_internal.h"
#include "coordinator/sessions/worker_hello.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

enum {
    REST_MS = 1000,
    SILENCE_MS = LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS,
    ENDING_MS = 30000, /* for the ranks of a gang to end when one has ended badly */
};

static int lose_worker(struct sessions *control,
                       struct worker *worker,
                       const char *reason,
                       struct err *err)
{
    log_warning("worker lost: host=%s card=%d: %s", worker->host, worker->card, reason);
    if (ledger_worker_lost(control->ledger, worker, reason, err) < 0)
        return -1;
    while (worker->ranks)
        if (sessions_mark_rank_lost(control, worker->ranks, reason, err) < 0)
            return -1;
    sessions_remove_worker(control, worker);
    return 0;
}

/* What it says */

/* Of the run's rank, when this worker's card is that rank's. */
static struct attempt_rank *find_rank(const struct sessions *control,
                                      const struct worker *worker,
                                      uint64_t run_id,
                                      uint64_t number)
{
    struct attempt *attempt = ledger_find_attempt(control->ledger, run_id);
    struct attempt_rank *rank = attempt ? ledger_find_rank(attempt, number) : NULL;
    bool is_its = rank && rank->host && rank->card == worker->card &&
                  strcmp(rank->host, worker->host) == 0;

    return is_its ? rank : NULL;
}

/* The card is taken out of service by the fault that is one too many. */
static int count_fault(struct sessions *control,
                       const struct worker *worker,
                       const char *what,
                       struct err *err)
{
    uint32_t count =
        card_faults_add(&control->faults, worker->host, worker->card, what);
    char reason[320];

    log_warning("card at fault: host=%s card=%d faults=%u: %s", worker->host,
                worker->card, count, what);
    if (ledger_card_fault(control->ledger, worker, what, err) < 0)
        return -1;
    if (count < CARD_FAULTS_MAX ||
        drains_find(control->drains, worker->host, worker->card))
        return 0;
    snprintf(reason, sizeof(reason), "quarantine: at fault %u times in a row: %.200s",
             count, what);
    card_faults_forget(&control->faults, worker->host, worker->card);
    if (drains_add(control->drains, worker->host, worker->card, reason, err) < 0)
        return -1;
    return ledger_card_drained(control->ledger, worker->host, worker->card, reason,
                               err);
}

static int on_result(struct sessions *control,
                     struct worker *worker,
                     const struct msg_rank_result *result,
                     struct err *err)
{
    struct attempt_rank *rank =
        find_rank(control, worker, result->run_id, result->rank);
    const struct msg_result_ack ack = {result->run_id, result->rank};
    enum rank_status status;

    if (!rank_status_parse(result->status, &status))
        status = RANK_FAILED; /* a word of a newer worker */
    if (rank) {
        worker->ranks_ended++;
        worker->began_ms = clock_mono_ms(); /* what waits there begins now */
        if (status != RANK_DONE && status != RANK_CANCELLED)
            worker->ranks_failed++;
        if (result->card_fault && count_fault(control, worker, result->reason, err) < 0)
            return -1;
        if (status == RANK_DONE && !result->card_fault)
            card_faults_forget(&control->faults, worker->host, worker->card);
        if (rank->number == 0)
            sessions_release_lent_cards(control, rank->attempt);
        if (ledger_result(control->ledger, rank, worker, result, err) < 0)
            return -1;
    } else { /* of an attempt that does not count: the worker need not keep it */
        log_debug("result of an old attempt: run=%" PRIu64 " host=%s", result->run_id,
                  worker->host);
    }
    outbox_send_with_next_commit(control->outbox, control->link, &worker->peer,
                                 MSG_RESULT_ACK, &ack);
    return 0;
}

static int on_taken(struct sessions *control,
                    struct worker *worker,
                    const struct msg_lease_taken *taken,
                    struct err *err)
{
    struct attempt_rank *rank = find_rank(control, worker, taken->run_id, taken->rank);

    if (rank && rank->worker == worker)
        return ledger_taken(control->ledger, rank, err);
    sessions_send_stop(control, worker, taken->run_id, taken->rank,
                       "this attempt has ended");
    return 0;
}

static int on_refused(struct sessions *control,
                      struct worker *worker,
                      const struct msg_lease_refused *refused,
                      struct err *err)
{
    struct attempt_rank *rank =
        find_rank(control, worker, refused->run_id, refused->rank);
    /* all that was on the way to a card that fell ill comes back: that is one fault */
    bool is_known = worker->rest_until_ms > clock_mono_ms();

    if (!rank || rank->worker != worker)
        return 0;
    if (refused->card_fault && !is_known &&
        count_fault(control, worker, refused->reason, err) < 0)
        return -1;
    if (!rank->recalled && rank->attempt->state != ATTEMPT_ENDING)
        worker_start_rest(worker, clock_mono_ms() + REST_MS);
    if (rank->number == 0)
        sessions_release_lent_cards(control, rank->attempt);
    return ledger_refused(control->ledger, rank, refused->reason, err);
}

/* It has gone of its own will: what had not begun there goes elsewhere at once. */
static int on_bye(struct sessions *control,
                  struct worker *worker,
                  const char *reason,
                  struct err *err)
{
    log_info("worker left: host=%s card=%d: %s", worker->host, worker->card, reason);
    if (ledger_worker_left(control->ledger, worker, reason, err) < 0)
        return -1;
    while (worker->ranks) {
        struct attempt_rank *rank = worker->ranks;
        int result = rank->state == RANK_STATE_LEASED
                         ? ledger_refused(control->ledger, rank, reason, err)
                         : sessions_mark_rank_lost(control, rank, reason, err);

        if (result < 0)
            return -1;
    }
    sessions_remove_worker(control, worker);
    return 0;
}

/* We began anew, or had given it up. One question a heartbeat is enough. */
static void ask_for_hello(struct sessions *control, const struct incoming *in)
{
    const struct msg_refused who = {refusal_word(ERR_NOT_FOUND), "say hello first"};

    if (in->kind->type == MSG_HEARTBEAT)
        outbox_send(control->outbox, control->link, &in->peer, MSG_REFUSED, &who);
}

/* It says nothing that has to be on disk, so it waits for no disk; nor is a turn in
 * which nothing else was said a reason to write. */
static void answer_heartbeat(struct sessions *control, const struct incoming *in)
{
    const struct msg_heartbeat_reply reply = {in->message.heartbeat.run_id};
    struct err ignored; /* who has gone, or does not read, is told nothing */

    link_send(control->link, &in->peer, MSG_HEARTBEAT_REPLY, &reply, &ignored);
}

int sessions_handle_message(struct sessions *control,
                            const struct incoming *in,
                            bool *mine,
                            struct err *err)
{
    enum message_type type = in->kind->type;
    struct worker *worker;

    *mine = type >= MSG_WORKER_HELLO && type <= MSG_CARD_FAULT;
    if (!*mine)
        return 0;
    if (type == MSG_WORKER_HELLO)
        return worker_hello_handle(control, in, err);
    worker = workers_find(&control->workers, &in->peer);
    if (!worker) {
        ask_for_hello(control, in);
        return 0;
    }
    worker->heard_ms = clock_mono_ms();
    switch (type) {
    case MSG_HEARTBEAT:
        answer_heartbeat(control, in);
        return 0;
    case MSG_LEASE_TAKEN:
        return on_taken(control, worker, &in->message.lease_taken, err);
    case MSG_LEASE_REFUSED:
        return on_refused(control, worker, &in->message.lease_refused, err);
    case MSG_OUTPUT:
        log_relay_handle(control, &in->peer, &in->message.output);
        return 0;
    case MSG_CARD_FAULT:
        return count_fault(control, worker, in->message.card_fault.reason, err);
    case MSG_WORKER_BYE:
        return on_bye(control, worker, in->message.worker_bye.reason, err);
    case MSG_BARRIER_ARRIVE:
    case MSG_BARRIER_ABORT:
    case MSG_CLOCK_PING:
        barrier_relay_handle(control, worker, in);
        return 0;
    default:
        return on_result(control, worker, &in->message.rank_result, err);
    }
}

static int lose_overdue_ranks(struct sessions *control,
                              struct attempt *attempt,
                              uint64_t now,
                              bool *moved,
                              struct err *err)
{
    for (uint32_t i = 0; i < attempt->rank_count && !*moved; i++) {
        struct attempt_rank *rank = &attempt->ranks[i];

        if (rank->worker || !rank->await_until_ms || rank->await_until_ms > now)
            continue;
        *moved = true; /* the run may be gone */
        return sessions_mark_rank_lost(control, rank, "its worker did not come back",
                                       err);
    }
    if (attempt->ending_until_ms && attempt->ending_until_ms <= now) {
        *moved = true;
        return ledger_close_overdue(control->ledger, attempt, err);
    }
    return 0;
}

static int lose_overdue(struct sessions *control, uint64_t now, struct err *err)
{
    struct attempt *attempt;

    for (size_t cursor = 0;
         (attempt = ledger_next_attempt(control->ledger, &cursor));) {
        bool moved = false;

        if (lose_overdue_ranks(control, attempt, now, &moved, err) < 0)
            return -1;
        if (moved)
            cursor = 0; /* so may the table be */
    }
    return 0;
}

int sessions_tick(struct sessions *control, uint64_t now_ms, struct err *err)
{
    uint64_t late = control->ticked_ms ? now_ms - control->ticked_ms : 0;
    char reason[80];

    /* When we were busy ourselves, their heartbeats wait to be read. */
    late = late > 2 * LINK_HEARTBEAT_MS ? late : 0;
    control->ticked_ms = now_ms;
    for (struct worker *worker = control->workers.first, *next; worker; worker = next) {
        next = worker->next;
        worker->heard_ms += late;
        if (worker->heard_ms + SILENCE_MS >= now_ms)
            continue;
        snprintf(reason, sizeof(reason), "worker silent for %" PRIu64 " ms",
                 now_ms - worker->heard_ms);
        if (lose_worker(control, worker, reason, err) < 0)
            return -1;
    }
    return lose_overdue(control, now_ms, err);
}

void sessions_stop_failed_attempts(struct sessions *control)
{
    uint64_t until_ms = clock_mono_ms() + ENDING_MS;
    const struct attempt *attempt;

    while ((attempt = ledger_take_stop(control->ledger, until_ms))) {
        char why[260];

        snprintf(why, sizeof(why), "rank %u: %s", attempt->failure.rank,
                 attempt->failure.reason);
        barriers_end(control->barriers, attempt->run_id, attempt->failure.rank, why);
        for (uint32_t i = 0; i < attempt->rank_count; i++)
            sessions_stop_rank(control, &attempt->ranks[i], why);
    }
}

void sessions_stop_job(struct sessions *control, const struct ledger_job *job, bool now)
{
    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        for (struct attempt_rank *rank = worker->ranks; rank;
             rank = rank->next_of_worker) {
            if (rank->attempt->task->job != job)
                continue;
            if (now)
                sessions_stop_rank(control, rank, "cancelled");
            else if (rank->state == RANK_STATE_LEASED && !rank->attempt->started)
                sessions_recall_rank(control, rank, "cancelled");
        }
}

void sessions_disconnect_all(struct sessions *control, const char *reason)
{
    const struct msg_go_away away = {reason};

    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        sessions_send(control, worker, MSG_GO_AWAY, &away);
}
