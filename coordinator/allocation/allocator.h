/* allocator.h - requests allocations from a cluster while tasks wait for cards
 *
 * Each allocation queue runs one cluster command at a time: it submits, polls or
 * cancels. A cluster that hangs or fails delays nothing else: each command has a time
 * limit, a failed command is repeated after a growing delay, and an allocation that the
 * cluster does not list any more has ended. */
#ifndef COORDINATOR_ALLOCATION_ALLOCATOR_H
#define COORDINATOR_ALLOCATION_ALLOCATOR_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct allocator;
struct keys;
struct ledger;
struct reactor;
struct store;
struct text;
struct workers;

struct allocator_options {
    const char *program;        /* path of muster on the nodes of the cluster */
    const char *logs;           /* folder for the output of allocations */
    const char *control, *data; /* endpoints that workers on other hosts can reach */
    uint64_t poll_ms;
};

/* Without `keys` no queue can be added. The texts of `options` are copied. */
int allocator_open(struct allocator **out,
                   struct reactor *reactor,
                   const struct allocator_options *options,
                   struct store *store,
                   struct keys *keys,
                   struct ledger *ledger,
                   const struct workers *workers,
                   struct err *err);
/* Ends the steps inside the own allocation. Other allocations continue, and end when
 * their workers are idle. */
void allocator_close(struct allocator *allocator); /* NULL is allowed */

/* Starts the commands that are due. Returns -1 when the store failed. */
int allocator_tick(struct allocator *allocator, struct err *err);
/* Executes a request of a user, and writes a reply of at most 239 characters.
 * ERR_INPUT, ERR_CONFLICT and ERR_NOT_FOUND are errors of the request; others are of
 * the store. */
int allocator_handle_request(struct allocator *allocator,
                             const struct msg_alloc *request,
                             char reply[240],
                             struct err *err);

/* Appends the failures of the queues: why a waiting task gets no cards from them. */
void allocator_explain(const struct allocator *allocator, struct text *out);

/* Removes all queues and cancels their allocations. */
int allocator_release_nodes(struct allocator *allocator, struct err *err);
/* Returns true when no queue is left. */
bool allocator_is_empty(const struct allocator *allocator);

typedef void allocator_row_fn(enum message_type type, const void *row, void *arg);
void allocator_list(const struct allocator *allocator,
                    bool allocations,
                    allocator_row_fn *fn,
                    void *arg);

#endif
