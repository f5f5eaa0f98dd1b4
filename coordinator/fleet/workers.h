/* workers.h - the connected workers, the cards that they serve, and their hosts
 *
 * Each worker serves one card. The states of cards and hosts change here, by the tables
 * of card_state.c. */
#ifndef COORDINATOR_FLEET_WORKERS_H
#define COORDINATOR_FLEET_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/fleet/card_state.h"
#include "lib/wire/link.h"

struct attempt_rank;
struct drains;

/* A host exists while it has a connected worker. */
struct fleet_host {
    struct fleet_host *next;
    char *name;
    enum host_state state;
    size_t workers, ranks; /* on its cards */
};

struct worker {
    struct worker *next;
    struct fleet_host *fleet_host;
    enum card_state state;
    struct peer peer;
    char *host, *model, *serial, *version;
    char *address;      /* of its host, for other hosts */
    char *card_address; /* of the card itself; "": unknown */
    char *net_switch;   /* that its host is connected to; "": unknown */
    char *allocation;   /* of a cluster, that started it; "": none */
    int32_t card;
    uint64_t pid;
    bool simulated;
    uint64_t session;           /* random number of its latest hello */
    uint64_t received_ms;       /* monotonic time of its last message */
    uint64_t rest_until_ms;     /* while its card is full or resting */
    bool reserved_for_gang;     /* by the latest plan of the scheduler */
    struct attempt_rank *ranks; /* leased to it and not ended, oldest first */
    struct attempt_rank **ranks_end;
    size_t rank_count;
    size_t unsent; /* leases that wait for a commit */
    uint64_t ranks_ended, ranks_failed;
    uint64_t began_ms; /* when its first rank began, or a little before */
};

struct workers {
    struct worker *first; /* by host and card: a job gets the same cards each time */
    size_t count;
    struct fleet_host *hosts;
};

void workers_clear(struct workers *workers);
struct worker *workers_find(const struct workers *workers, const struct peer *peer);
/* Returns the worker to which this session number was sent, or NULL. */
struct worker *workers_find_session(const struct workers *workers, uint64_t session);
/* Returns NULL when no connected worker serves this card of this host. */
struct worker *
workers_find_card(const struct workers *workers, const char *host, int32_t card);
/* Returns whether a connected worker serves this card; host NULL: of any host, card
 * DRAINS_WHOLE_HOST: any card. */
bool workers_have_card(const struct workers *workers, const char *host, int32_t card);
struct worker *workers_add(struct workers *workers,
                           const struct peer *peer,
                           const struct msg_worker_hello *hello);
/* Frees a worker without ranks. Returns true when it was the last one of its host. */
bool workers_remove(struct workers *workers, struct worker *worker);

/* Returns the state that users see: the state of the card, or "kept" for an idle card
 * that is reserved for a gang. */
const char *worker_state_word(const struct worker *worker);

/* These three change the state of the card and, with it, the state of its host. */
void worker_add_rank(struct worker *worker);
void worker_remove_rank(struct worker *worker);
void worker_start_rest(struct worker *worker, uint64_t rest_until_ms);
/* Ends the rest of cards whose time is over, and applies the drains to all states. */
void workers_update_states(struct workers *workers,
                           const struct drains *drains,
                           uint64_t now_ms);

#endif
