/* allocations.h - allocation queues and their allocations, in memory and in the store
 *
 * Each function changes both; the change is durable after the next commit. Each
 * allocation has its own key for its workers. The coordinator accepts this key from the
 * request until the allocation has ended. */
#ifndef COORDINATOR_ALLOCATION_ALLOCATIONS_H
#define COORDINATOR_ALLOCATION_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cluster/allocation_queue.h"
#include "lib/cluster/slurm.h"

struct alloc_queue;
struct child_command;
struct keys;
struct store;
struct workers;

struct allocation {
    struct allocation *next;
    struct alloc_queue *queue;
    uint64_t id;
    char *name;      /* of the cluster's job */
    uint64_t number; /* of the cluster's job; 0: not known yet */
    enum alloc_state state;
    char *reason;
    char *public_key; /* of its workers; "": not accepted any more */
    uint64_t asked_wall_ms, ended_wall_ms;
    uint64_t running_from_ms; /* monotonic; 0: not running, or since before our start */
    bool worker_came;
    bool polled;                /* by the poll that runs now */
    bool cancelled;             /* the cancel command was started */
    struct child_command *step; /* of the allocation that this process is part of */
};

struct alloc_queue {
    struct alloc_queue *next;
    struct allocations *all; /* that this queue belongs to */
    uint64_t id;
    struct allocation_request request; /* owns its texts */
    bool paused;
    bool removing; /* removed when all its allocations have ended */
    char *reason;
    uint64_t failures;      /* in a row */
    uint64_t not_before_ms; /* monotonic */
    uint64_t polled_ms;
    struct child_command *command; /* that runs now, or NULL */
    struct allocation *about;      /* that the command submits or cancels; or NULL */
    struct allocation *allocations;
    uint64_t ended; /* number of allocations that have ended */
};

struct allocations {
    struct store *store;
    struct keys *keys;
    const char *store_id;
    struct alloc_queue *first;
    void *owner; /* the struct allocator */
};

/* Loads all queues. Accepts the keys of allocations that have not ended. */
int allocations_load(struct allocations *all, struct err *err);
void allocations_clear(struct allocations *all);

struct alloc_queue *allocations_find(const struct allocations *all, const char *name);
/* ERR_INPUT or ERR_CONFLICT: the request is wrong. Other errors are of the store. */
int allocations_add(struct allocations *all,
                    const struct allocation_request *request,
                    struct err *err);
int allocations_pause(struct allocations *all,
                      struct alloc_queue *queue,
                      bool paused,
                      const char *reason,
                      struct err *err);
/* Pauses the queue; its allocations are cancelled one by one. */
int allocations_begin_removal(struct allocations *all,
                              struct alloc_queue *queue,
                              struct err *err);
int allocations_remove(struct allocations *all,
                       struct alloc_queue *queue,
                       struct err *err);

/* Adds an allocation with a new key. `secret` is the private key of its workers. */
int allocations_add_allocation(struct allocations *all,
                               struct alloc_queue *queue,
                               struct allocation **out,
                               char secret[41],
                               struct err *err);
/* Sets the state, and the number unless it is 0. The key of an ended allocation is not
 * accepted any more. */
int allocations_move(struct allocations *all,
                     struct allocation *allocation,
                     enum alloc_state state,
                     uint64_t number,
                     const char *reason,
                     struct err *err);

uint64_t allocations_count(const struct alloc_queue *queue, enum alloc_state state);
/* Returns the number of its workers that are connected. */
uint64_t allocations_workers(const struct allocation *allocation,
                             const struct workers *workers);

#endif
