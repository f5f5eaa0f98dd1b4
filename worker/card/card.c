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
    struct lease_queue *line;
    struct lease_reports *tidings; /* of those that were taken */
    uint64_t lent_run_id;          /* 0: it is lent to nobody */
    bool served;                   /* a run was leased */
};

static bool tell(void *arg, enum message_type type, const void *message)
{
    const struct card *card = arg;

    return card->options.tell(card->options.arg, type, message);
}

struct card *card_create(const struct card_options *options)
{
    struct card *card = xcalloc(1, sizeof(*card));

    card->options = *options;
    card->line = lease_queue_create();
    card->tidings = lease_reports_create(options->reactor, options->results, card->line,
                                         tell, card);
    return card;
}

void card_destroy(struct card *card)
{
    if (!card)
        return;
    lease_reports_destroy(card->tidings);
    lease_queue_destroy(card->line);
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

    run_take_back(card->options.run, 0);
    lease_queue_drop_all(card->line);
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

/* Where the next one waits, a fresh answer is waited for less than it takes. */
bool card_is_bad(const struct card *card, bool anew, char *words, size_t size)
{
    bool idle = lease_queue_count(card->line) == 0;

    return card_health_is_bad(card->options.health, anew || idle, words, size);
}

/* Leases */

static void refuse(struct card *card, uint64_t id, uint64_t rank, const char *reason)
{
    const struct msg_lease_refused refused = {id, rank, reason, false};

    tell(card, MSG_LEASE_REFUSED, &refused);
}

static void
refuse_ill(struct card *card, const struct msg_lease *lease, const char *words)
{
    char reason[240];
    const struct msg_lease_refused refused = {lease->run_id, lease->rank, reason, true};

    snprintf(reason, sizeof(reason), "the card is not well: %s", words);
    log_warning("lease refused: run=%llu %s", (unsigned long long)lease->run_id,
                reason);
    tell(card, MSG_LEASE_REFUSED, &refused);
}

static void take(struct card *card, const struct msg_lease *lease)
{
    char words[160];
    struct err err;

    if (card_health_is_bad(card->options.health, false, words, sizeof(words))) {
        run_leave_card(card->options.run);
        refuse_ill(card, lease, words);
        return;
    }
    if (lease->threads && lease->rank > 0) {
        run_leave_card(card->options.run);
        card->lent_run_id = lease->run_id;
        log_info("card lent: run=%llu rank=%llu", (unsigned long long)lease->run_id,
                 (unsigned long long)lease->rank);
    } else if (run_lease(card->options.run, lease, &err) < 0) {
        refuse(card, lease->run_id, lease->rank, err.text);
        return;
    }
    card->served = true;
    lease_reports_taken(card->tidings, lease->run_id, lease->rank);
}

void card_on_lease(struct card *card, const struct msg_lease *lease)
{
    const struct msg_lease_taken taken = {.run_id = lease->run_id, .rank = lease->rank};

    if (lease->run_id != 0 && lease_queue_has(card->line, lease->run_id))
        return; /* said again, and taken when its turn comes */
    if (lease->run_id != 0 && is_held(card, lease->run_id))
        tell(card, MSG_LEASE_TAKEN, &taken); /* said again */
    else if (card->options.once && card->served)
        refuse(card, lease->run_id, lease->rank, "it ends after its one run");
    else if (card_is_free(card))
        take(card, lease);
    else if (!lease_queue_put(card->line, lease))
        refuse(card, lease->run_id, lease->rank, "busy, and others wait");
}

/* The next ones go to the runner while it is busy: it has not to wait for us. */
static void hand_ahead(struct card *card)
{
    const struct msg_lease *lease;

    for (size_t at = 0; (lease = lease_queue_look(card->line, at)); at++)
        if (!run_ahead(card->options.run, lease))
            return;
}

/* The next one begins while the result of the last one travels. */
void card_give(struct card *card)
{
    const struct msg_lease *lease;

    while (card_is_free(card) && (lease = lease_queue_take(card->line)))
        take(card, lease); /* several of them may be over already */
    if (!card->options.once)
        hand_ahead(card);
}

/* Stops */

static void take_back(struct card *card)
{
    char words[160], reason[240];
    const struct msg_card_fault fault = {card->lent_run_id, reason};

    card->lent_run_id = 0;
    if (!card_is_bad(card, false, words, sizeof(words)))
        return;
    snprintf(reason, sizeof(reason), "the card is not well: %s", words);
    tell(card, MSG_CARD_FAULT, &fault);
}

/* It may have begun ahead of us: then it does not only wait. */
static void stop_waiting(struct card *card, const struct msg_stop_rank *stop)
{
    bool has_begun = !run_take_back(card->options.run, stop->run_id);

    if (has_begun && stop->only_waiting)
        return;
    if (has_begun)
        run_forget_ahead(card->options.run);
    lease_queue_drop(card->line, stop->run_id);
    refuse(card, stop->run_id, stop->rank, stop->reason);
}

void card_on_stop(struct card *card, const struct msg_stop_rank *stop)
{
    if (run_id(card->options.run) == stop->run_id) {
        if (!stop->only_waiting)
            run_stop(card->options.run, RANK_CANCELLED, stop->reason);
    } else if (lease_queue_has(card->line, stop->run_id)) {
        stop_waiting(card, stop);
    } else if (card->lent_run_id == stop->run_id) {
        if (!stop->only_waiting)
            take_back(card);
    } else if (!is_held(card, stop->run_id)) { /* the lease was lost on its way */
        refuse(card, stop->run_id, stop->rank, "it is not here");
    }
}

/* News */

void card_tell_results(struct card *card, bool anew)
{
    if (anew)
        lease_reports_now(card->tidings, true);
    else
        lease_reports_results(card->tidings);
}

void card_tell_now(struct card *card)
{
    lease_reports_now(card->tidings, false);
}

bool card_has_served(const struct card *card)
{
    return card->options.once && card->served && run_is_idle(card->options.run) &&
           result_store_count(card->options.results) == 0;
}
