/* allocation_queue.h - how many allocations a queue may ask its cluster for, and when
 *
 * A queue is a standing permission: as long as tasks wait, ask the cluster for cards,
 * so many at a time, and never more than so many. All here is arithmetic on what the
 * caller knows: no clock, no process, no store. */
#ifndef LIB_CLUSTER_ALLOCATION_QUEUE_H
#define LIB_CLUSTER_ALLOCATION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum {
    ALLOC_NODES_MAX = 4096,
    ALLOC_CARDS_MAX = 64,      /* of a node */
    ALLOC_LIVE_MAX = 1024,     /* allocations of a queue at once */
    ALLOC_FAILURES_MAX = 8,    /* in a row; then the queue is paused */
    ALLOC_WORDS_MAX = 64,      /* handed on to the cluster's command */
    ALLOC_BACK_OFF_MS = 10000, /* after the first failure; twice as long each time */
    ALLOC_BACK_OFF_MAX_MS = 600000,
};

/* What a person asks for with `muster alloc add`. The texts are borrowed. */
struct allocation_request {
    const char *name;
    const char *resource; /* the cluster's name for a card: npu */
    uint64_t nodes;       /* of one allocation */
    uint64_t cards_per_node;
    uint64_t time_limit_ms; /* 0: the cluster's own */
    uint64_t idle_ms;       /* then a worker ends, and with the last the allocation */
    uint64_t backlog;       /* so many wait in the cluster's queue at most */
    uint64_t most;          /* so many wait or run at most */
    const char *model;      /* of the cards; "": as they say themselves */
    bool simulated;
    bool here; /* the allocation in which we run already: a step of it */
    const char *const *words;
    size_t word_count;
};

/* ERR_INPUT with the option that is wrong. */
int alloc_check(const struct allocation_request *wish, struct err *err);

/* What is known when it is decided. */
struct alloc_load {
    uint64_t cards_wanted; /* of tasks that wait */
    uint64_t cards_idle;   /* of workers that have nothing to do */
    uint64_t queued;       /* allocations of this queue that wait in the cluster */
    uint64_t coming;       /* they run, and not all their workers are here yet */
    uint64_t live;         /* queued, coming and running */
};

/* How many more to ask for now. */
uint64_t alloc_missing(const struct allocation_request *wish,
                       const struct alloc_load *load);

/* How long to wait after so many failures in a row; 0: after none. */
uint64_t alloc_back_off_ms(uint64_t failures);

#endif
