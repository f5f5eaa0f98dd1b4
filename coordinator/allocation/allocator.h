/* allocator.h - asks a cluster for cards as long as tasks wait for them
 *
 * Each queue has one conversation with its cluster at a time: it hands in, looks how
 * its allocations are, or cancels. Nothing a cluster says or does not say holds up
 * anything else: what hangs has a deadline, what fails is tried later and later, and
 * what the cluster has forgotten has ended. */
#ifndef COORDINATOR_ALLOCATION_ALLOCATOR_H
#define COORDINATOR_ALLOCATION_ALLOCATOR_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct allocator;
struct sessions;
struct keys;
struct ledger;
struct reactor;
struct store;

struct allocator_options {
    const char *program; /* muster, as the cluster's nodes reach it */
    const char *logs;    /* folder of what allocations print */
    const char *control,
        *data; /* endpoints, as a worker of another host reaches them */
    uint64_t poll_ms;
};

/* `keys` NULL: queues cannot be added. The texts are copied. */
int allocator_open(struct allocator **out,
                   struct reactor *reactor,
                   const struct allocator_options *options,
                   struct store *store,
                   struct keys *keys,
                   struct ledger *ledger,
                   struct sessions *control,
                   struct err *err);
/* Steps end with us; what the cluster runs ends when its workers are idle. */
void allocator_close(struct allocator *allocator); /* NULL is welcome */

/* Now and then. -1: the store failed. */
int allocator_tick(struct allocator *allocator, struct err *err);
/* What a person asks for: `said` has room for 240 letters. ERR_INPUT, ERR_CONFLICT or
 * ERR_NOT_FOUND are the person's; anything else is the store's. */
int allocator_hear(struct allocator *allocator,
                   const struct msg_alloc *wish,
                   char said[240],
                   struct err *err);

/* Whoever wanted them is gone: nothing more is asked for, and all is cancelled. */
int allocator_release_nodes(struct allocator *allocator, struct err *err);
/* No queue is left. */
bool allocator_is_empty(const struct allocator *allocator);

typedef void allocator_row_fn(enum message_type type, const void *row, void *arg);
void allocator_list(const struct allocator *allocator,
                    bool allocations,
                    allocator_row_fn *fn,
                    void *arg);

#endif
