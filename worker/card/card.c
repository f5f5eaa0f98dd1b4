#include "worker/card/card.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "worker/card/card_health.h"
#include "worker/lease/lease_queue.h"
#include "worker/lease/lease_reports.h"
#include "worker/run/run.h"
#include "worker/spool/result_store.h"

struct card {
    struct card_options options;
    struct lease_queue *queue;
    struct lease_reports *reports;
    uint64_t lent_run_id; /* 0: not lent */
    bool served;          /* a lease was taken */
};

static bool send_message(void *arg, enum message_type type, const void *message)
{
    const struct card *card = arg;

    return card->options.send_message(card->options.arg, type, message);
}

struct card *card_create(const struct card_options *options)
{
    struct card *card = xcalloc(1, sizeof(*card));

    card->options = *options;
    card->queue = lease_queue_create();
    card->reports = lease_reports_create(options->reactor, options->results,
                                         card->queue, send_message, card);
    return card;
}

void card_destroy(struct card *card)
{
    if (!card)
        return;
    lease_reports_destroy(card->reports);
    lease_queue_destroy(card->queue);
    free(card);
}

bool card_is_free(const struct card *card)
{
    return run_is_idle(card->options.run) && !card->lent_run_id;
}

uint64_t card_run_id(const struct card *card)
{
    return card->lent_run_id ? card->lent_run_id : run_id(card->options.run);
}

size_t card_held_runs(struct card *card, uint64_t *run_ids, size_t room)
{
    const struct result_store *results = card->options.results;
    size_t count = 0;

    run_recall(card->options.run, 0);
    lease_queue_drop_all(card->queue);
    if (card->lent_run_id)
        run_ids[count++] = card->lent_run_id;
    if (run_id(card->options.run))
        run_ids[count++] = run_id(card->options.run);
    for (size_t i = 0; i < result_store_count(results) && count < room; i++)
        run_ids[count++] = result_store_run_id(results, i);
    return count;
}

static bool is_held(const struct card *card, uint64_t id)
{
    const struct result_store *results = card->options.results;
    bool held = run_id(card->options.run) == id || card->lent_run_id == id;

    for (size_t i = 0; i < result_store_count(results) && !held; i++)
        held = result_store_run_id(results, i) == id;
    return held;
}

/* The library is called without need only when no lease waits: a call takes longer than
 * a short rank. */
bool card_has_fault(const struct card *card, bool refresh, char *text, size_t size)
{
    bool idle = lease_queue_count(card->queue) == 0;

    return card_health_has_fault(card->options.health, refresh || idle, text, size);
}

static void refuse(struct card *card, uint64_t id, uint64_t rank, const char *reason)
{
    const struct msg_lease_refused refused = {id, rank, reason, false};

    send_message(card, MSG_LEASE_REFUSED, &refused);
}

static void
refuse_for_fault(struct card *card, const struct msg_lease *lease, const char *text)
{
    char reason[240];
    const struct msg_lease_refused refused = {lease->run_id, lease->rank, reason, true};

    snprintf(reason, sizeof(reason), "card fault: %s", text);
    log_warning("lease refused: run_id=%llu reason=%s",
                (unsigned long long)lease->run_id, reason);
    send_message(card, MSG_LEASE_REFUSED, &refused);
}

static void take(struct card *card, const struct msg_lease *lease)
{
    char text[160];
    struct err err;

    if (card_health_has_fault(card->options.health, false, text, sizeof(text))) {
        run_end_runner(card->options.run);
        refuse_for_fault(card, lease, text);
        return;
    }
    if (lease->threads && lease->rank > 0) {
        run_end_runner(card->options.run);
        card->lent_run_id = lease->run_id;
        log_info("card lent: run_id=%llu rank=%llu", (unsigned long long)lease->run_id,
                 (unsigned long long)lease->rank);
    } else if (run_lease(card->options.run, lease, &err) < 0) {
        refuse(card, lease->run_id, lease->rank, err.text);
        return;
    }
    card->served = true;
    lease_reports_taken(card->reports, lease->run_id, lease->rank);
}

void card_on_lease(struct card *card, const struct msg_lease *lease)
{
    const struct msg_lease_taken taken = {.run_id = lease->run_id, .rank = lease->rank};

    if (lease->run_id != 0 && lease_queue_has(card->queue, lease->run_id))
        return; /* a repeated lease, which waits already */
    if (lease->run_id != 0 && is_held(card, lease->run_id))
        send_message(card, MSG_LEASE_TAKEN, &taken); /* a repeated lease */
    else if (card->options.once && card->served)
        refuse(card, lease->run_id, lease->rank,
               "the worker exits after one rank (--once)");
    else if (result_store_count(card->options.results) >= CARD_RESULTS_MAX)
        refuse(card, lease->run_id, lease->rank,
               "too many results of the worker were not acknowledged");
    else if (card_is_free(card))
        take(card, lease);
    else if (!lease_queue_put(card->queue, lease))
        refuse(card, lease->run_id, lease->rank,
               "the worker is busy and its queue is full");
}

/* Sends waiting leases to the runner while it is busy, so that the runner starts the
 * next point without waiting for the worker. */
static void send_ahead(struct card *card)
{
    const struct msg_lease *lease;

    for (size_t at = 0; (lease = lease_queue_peek(card->queue, at)); at++)
        if (!run_send_ahead(card->options.run, lease))
            return;
}

/* The next rank starts while the result of the last one is on its way. */
void card_start_waiting(struct card *card)
{
    const struct msg_lease *lease;

    while (card_is_free(card) && (lease = lease_queue_take(card->queue)))
        take(card, lease); /* a rank that the runner got ahead may have ended already */
    if (!card->options.once)
        send_ahead(card);
}

static void end_lending(struct card *card)
{
    char text[160], reason[240];
    const struct msg_card_fault fault = {card->lent_run_id, reason};

    card->lent_run_id = 0;
    if (!card_has_fault(card, false, text, sizeof(text)))
        return;
    snprintf(reason, sizeof(reason), "card fault: %s", text);
    send_message(card, MSG_CARD_FAULT, &fault);
}

/* The runner may have started the lease ahead; then it is no longer only waiting. */
static void recall_waiting(struct card *card, const struct msg_stop_rank *stop)
{
    bool has_begun = !run_recall(card->options.run, stop->run_id);

    if (has_begun && stop->only_waiting)
        return;
    if (has_begun)
        run_discard_ahead(card->options.run);
    lease_queue_drop(card->queue, stop->run_id);
    refuse(card, stop->run_id, stop->rank, stop->reason);
}

void card_on_stop(struct card *card, const struct msg_stop_rank *stop)
{
    if (run_id(card->options.run) == stop->run_id) {
        if (!stop->only_waiting)
            run_stop(card->options.run, RANK_CANCELLED, stop->reason);
    } else if (lease_queue_has(card->queue, stop->run_id)) {
        recall_waiting(card, stop);
    } else if (card->lent_run_id == stop->run_id) {
        if (!stop->only_waiting)
            end_lending(card);
    } else if (!is_held(card, stop->run_id)) { /* the lease was lost in transit */
        refuse(card, stop->run_id, stop->rank, "the worker has no such lease");
    }
}

/* Reports */

void card_send_results(struct card *card, bool resend)
{
    if (resend)
        lease_reports_send_now(card->reports, true);
    else
        lease_reports_results(card->reports);
}

void card_send_reports_now(struct card *card)
{
    lease_reports_send_now(card->reports, false);
}

bool card_is_done(const struct card *card)
{
    return card->options.once && card->served && run_is_idle(card->options.run) &&
           result_store_count(card->options.results) == 0;
}
