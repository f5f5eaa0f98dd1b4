/* allocations.h - the queues and what they asked a cluster for, in memory and on disk
 *
 * Everything that is changed here is changed in the store as well, and is true with the
 * next commit. Each allocation has a key of its own for its workers: who comes with it
 * is let in from the asking until the allocation has ended. */
#ifndef COORDINATOR_ALLOCATION_ALLOCATIONS_H
#define COORDINATOR_ALLOCATION_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cluster/allocation_queue.h"
#include "lib/cluster/slurm.h"

struct alloc_queue;
struct child_command_run;
struct keys;
struct store;
struct workers;

struct allocation {
    struct allocation *next;
    struct alloc_queue *queue;
    uint64_t id;
    char *name;      /* as the cluster shows it */
    uint64_t number; /* the cluster's; 0: not known yet */
    enum alloc_state state;
    char *reason;
    char *public_key; /* "": its workers may not come any more */
    uint64_t asked_wall_ms, ended_wall_ms;
    uint64_t running_from_ms; /* monotonic; 0: it does not, or did before our start */
    bool worker_came;
    bool looked_for;                /* the look that is under way asks about it */
    bool cancelled;                 /* the cluster was told */
    struct child_command_run *step; /* of the allocation in which we run ourselves */
};

struct alloc_queue {
    struct alloc_queue *next;
    struct allocations *all; /* it stands in */
    uint64_t id;
    struct allocation_request wish; /* its texts are ours */
    bool paused;
    bool removing; /* as soon as nothing of it lives any more */
    char *reason;
    uint64_t failures;      /* in a row */
    uint64_t not_before_ms; /* monotonic */
    uint64_t looked_ms;
    struct child_command_run *command; /* one at a time */
    struct allocation *about; /* what the command asks for or cancels; or NULL */
    struct allocation *allocations;
    uint64_t ended; /* of them */
};

struct allocations {
    struct store *store;
    struct keys *keys;
    const char *store_id;
    struct alloc_queue *first;
    void *owner; /* for whoever drives the queues */
};

/* -1: the store failed. Those that have not ended are let in again. */
int allocations_load(struct allocations *all, struct err *err);
void allocations_clear(struct allocations *all);

struct alloc_queue *allocations_find(const struct allocations *all, const char *name);
/* ERR_INPUT or ERR_CONFLICT with what is wrong; anything else is the store's. */
int allocations_add(struct allocations *all,
                    const struct allocation_request *wish,
                    struct err *err);
int allocations_pause(struct allocations *all,
                      struct alloc_queue *queue,
                      bool paused,
                      const char *reason,
                      struct err *err);
/* Nothing new is asked for, and what lives is to be cancelled. */
int allocations_begin_removal(struct allocations *all,
                              struct alloc_queue *queue,
                              struct err *err);
int allocations_remove(struct allocations *all,
                       struct alloc_queue *queue,
                       struct err *err);

/* A new one, with a key; `secret` is for its workers only. */
int allocations_ask(struct allocations *all,
                    struct alloc_queue *queue,
                    struct allocation **out,
                    char secret[41],
                    struct err *err);
/* It is in another state, or has a number now; one that has ended lets nobody in. */
int allocations_move(struct allocations *all,
                     struct allocation *allocation,
                     enum alloc_state state,
                     uint64_t number,
                     const char *reason,
                     struct err *err);

uint64_t allocations_count(const struct alloc_queue *queue, enum alloc_state state);
/* Workers of it that are here. */
uint64_t allocations_workers(const struct allocation *allocation,
                             const struct workers *workers);

#endif
