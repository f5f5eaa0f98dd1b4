/* card.h - who has the card, and who waits for it
 *
 * The card is a run's, or lent to a process of another worker of this host, or free. A
 * lease that comes while it is not free waits in a line, from which the runner may have
 * the next ones already (resident.h). What home says of leases is answered here. */
#ifndef WORKER_CARD_CARD_H
#define WORKER_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wire/messages.h"

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
    bool once; /* it serves one run */
    bool (*tell)(void *arg, enum message_type type, const void *message);
    void *arg;
};

struct card *card_create(const struct card_options *options); /* all is borrowed */
void card_destroy(struct card *card);                         /* NULL is welcome */

bool card_is_free(const struct card *card);
/* The run that has it; 0: none. */
uint64_t card_run_id(const struct card *card);
/* Those that have it or whose results were not acked. What only waits is not named, and
 * waits no more: it is given again, or to somebody else. */
size_t card_held_runs(struct card *card, uint64_t *run_ids, size_t room);

void card_on_lease(struct card *card, const struct msg_lease *lease);
void card_on_stop(struct card *card, const struct msg_stop_rank *stop);
/* Before each sleep: who waits gets the card when it is free. */
void card_give(struct card *card);

/* News of what was taken and has ended; with `anew` also what was told already. */
void card_tell_results(struct card *card, bool anew);
void card_tell_now(struct card *card);
/* Does it say that it is not well? With `anew` it is asked, whatever it said last. */
bool card_is_bad(const struct card *card, bool anew, char *words, size_t size);
/* With `once`: nothing is left to do. */
bool card_has_served(const struct card *card);

#endif
