/* workers.h - who is connected, which card it serves, and since when it is silent
 *
 * Cards and hosts have their states here; moves.h has the tables. */
#ifndef COORDINATOR_FLEET_WORKERS_H
#define COORDINATOR_FLEET_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/fleet/card_state.h"
#include "lib/wire/link.h"

struct drains;
struct attempt_rank;

/* As long as it has a worker. */
struct node {
    struct node *next;
    char *name;
    enum host_state state;
    size_t workers, ranks; /* on its cards */
};

struct worker {
    struct worker *next;
    struct node *node;
    enum card_state state;
    struct peer peer;
    char *host, *model, *serial, *version;
    char *address;      /* where other hosts reach its host */
    char *card_address; /* the card's own; "": not known */
    char *net_switch;   /* of its host; "": not known */
    char *allocation;   /* of a cluster, in which it was started; "": in none */
    int32_t card;
    uint64_t pid;
    bool simulated;
    uint64_t heard_ms;
    uint64_t rest_until_ms; /* while it is full or resting */
    bool reserved_for_gang; /* what is planned this turn: it is for a gang; see
                               dispatch.h */
    bool reserved_for_job; /* the same: a task waits until there is less in hand here */
    struct attempt_rank *ranks; /* what it was given and has not ended, oldest first */
    struct attempt_rank **ranks_end;
    size_t rank_count;
    size_t unsent; /* leases that wait for a commit */
    uint64_t ranks_ended, ranks_failed;
    uint64_t began_ms; /* the first of its parts, or a little before */
};

struct workers {
    struct worker *first;
    size_t count;
    struct node *nodes;
};

void workers_clear(struct workers *workers);
struct worker *workers_find(const struct workers *workers, const struct peer *peer);
/* NULL when nobody serves this card of this host. */
struct worker *
workers_find_card(const struct workers *workers, const char *host, int32_t card);
struct worker *workers_add(struct workers *workers,
                           const struct peer *peer,
                           const struct msg_worker_hello *hello);
/* It has nothing any more. True: it was the last one of its host. */
bool workers_remove(struct workers *workers, struct worker *worker);

/* Its state for people: kept is said of an idle one. */
const char *worker_state_word(const struct worker *worker);

/* What moves a card moves its host, too (moves.h). */
void worker_add_rank(struct worker *worker);
void worker_remove_rank(struct worker *worker);
void worker_start_rest(struct worker *worker, uint64_t rest_until_ms);
/* Who has rested long enough, and who was taken out of service or put back. */
void workers_update_states(struct workers *workers,
                           const struct drains *drains,
                           uint64_t now_ms);

#endif
