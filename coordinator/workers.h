/* workers.h - who is connected, which card it serves, and since when it is silent */
#ifndef COORDINATOR_WORKERS_H
#define COORDINATOR_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/link.h"

struct part;

struct worker {
    struct worker *next;
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
    uint64_t rest_until_ms; /* after it refused a lease */
    bool kept;              /* for a gang, since the last turn; see dispatch.h */
    struct part *parts;     /* what it was given and has not ended, oldest first */
    size_t part_count;
    uint64_t ranks_ended;
};

struct workers {
    struct worker *first;
    size_t count;
};

void workers_clear(struct workers *workers);
struct worker *workers_find(const struct workers *workers, const struct peer *peer);
/* NULL when nobody serves this card of this host. */
struct worker *
workers_find_card(const struct workers *workers, const char *host, int32_t card);
struct worker *workers_add(struct workers *workers,
                           const struct peer *peer,
                           const struct msg_worker_hello *hello);
void workers_remove(struct workers *workers, struct worker *worker);

#endif
