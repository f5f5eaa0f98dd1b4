/* card.h - use of the card: running rank, lent to another worker, or free
 *
 * A card is lent when its rank belongs to the process of rank 0, which another worker
 * of this host runs. A lease that arrives while the card is in use waits in a queue;
 * the runner may receive waiting leases ahead (resident_runner.h). This module answers
 * all messages of the coordinator about leases. */
#ifndef WORKER_CARD_CARD_H
#define WORKER_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wire/messages.h"

/* More results than these wait for their acknowledgement only when the coordinator does
 * not work: the card then takes no lease. */
enum { CARD_RESULTS_MAX = 1024 };

struct card;
struct card_health;
struct reactor;
struct result_store;
struct run;

struct card_options {
    struct reactor *reactor;
    struct run *run;
    struct result_store *results;
    struct card_health *health;
    bool once; /* refuse leases after the first rank */
    bool (*send_message)(void *arg, enum message_type type, const void *message);
    void *arg;
};

struct card *card_create(const struct card_options *options); /* borrows all members */
void card_destroy(struct card *card);                         /* NULL is allowed */

bool card_is_free(const struct card *card);
/* Returns the attempt that has the card; 0: none. */
uint64_t card_run_id(const struct card *card);
/* Lists the attempts that have the card or whose results are not acknowledged. Waiting
 * leases are dropped and not listed: the coordinator sends them again or elsewhere. */
size_t card_held_runs(struct card *card, uint64_t *run_ids, size_t room);

void card_on_lease(struct card *card, const struct msg_lease *lease);
void card_on_stop(struct card *card, const struct msg_stop_rank *stop);
/* Starts waiting leases while the card is free. Call it before each sleep of the loop.
 */
void card_start_waiting(struct card *card);

/* Sends results; with `resend` also those that were sent before. */
void card_send_results(struct card *card, bool resend);
/* Sends all delayed reports. */
void card_send_reports_now(struct card *card);
/* Returns true, with the reason in `text`, when the card reports a fault. With
 * `refresh` the management library is called even if its last answer is recent. */
bool card_has_fault(const struct card *card, bool refresh, char *text, size_t size);
/* Returns true when `once` is set, the rank has ended and its result is acknowledged.
 */
bool card_is_done(const struct card *card);

#endif
