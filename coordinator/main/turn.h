/* turn.h - ends a turn of the coordinator's loop: leases, progress, commit, replies
 *
 * Handlers change state and queue replies. Before the loop sleeps, one transaction
 * commits all changes of the turn, and only then are the replies sent. When no peer
 * waits for a reply (an acknowledged result, the next lease of a card that has enough
 * leases), the commit may follow some milliseconds later. */
#ifndef COORDINATOR_MAIN_TURN_H
#define COORDINATOR_MAIN_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client_requests;
struct confirmations;
struct fleet;
struct ledger;
struct outbox;
struct parse_feed;
struct reactor;
struct sessions;
struct turn;

struct turn_parts {
    struct reactor *reactor;
    struct ledger *ledger;
    struct fleet *fleet;
    struct outbox *outbox;
    struct sessions *sessions;
    struct client_requests *clients;
    struct confirmations *confirmations;
    struct parse_feed *parse_feed;
};

/* Borrows the parts. */
struct turn *turn_create(const struct turn_parts *parts);
void turn_destroy(struct turn *turn); /* NULL is allowed */

/* Call this before the loop sleeps. `leases`: new tasks may start. `stops`: commits at
 * once and stops the loop. Returns -1 when the store failed. */
int turn_end(struct turn *turn, bool leases, bool stops, struct err *err);
/* Returns the number of commits; 0 for NULL. */
uint64_t turn_commits(const struct turn *turn);

#endif
