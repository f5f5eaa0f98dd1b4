/* allocation_queue.h - how many allocations to request from a cluster, and when
 *
 * An allocation queue is a standing permission: while tasks wait, the coordinator may
 * request cards from the cluster, within the limits of the queue. The functions compute
 * from their arguments only; they use no clock, no process and no store. */
#ifndef LIB_CLUSTER_ALLOCATION_QUEUE_H
#define LIB_CLUSTER_ALLOCATION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum {
    ALLOC_NODES_MAX = 4096,
    ALLOC_CARDS_MAX = 64,      /* per node */
    ALLOC_LIVE_MAX = 1024,     /* allocations of one queue at the same time */
    ALLOC_FAILURES_MAX = 8,    /* consecutive failures, then the queue is paused */
    ALLOC_OPTIONS_MAX = 64,    /* options that are passed to sbatch */
    ALLOC_BACK_OFF_MS = 10000, /* after the first failure; doubles each time */
    ALLOC_BACK_OFF_MAX_MS = 600000,
};

/* The settings of one queue, from `muster alloc add`. The texts are borrowed. */
struct allocation_request {
    const char *name;
    const char *resource; /* the cluster's name for a card, such as npu */
    uint64_t nodes;       /* per allocation */
    uint64_t cards_per_node;
    uint64_t time_limit_ms; /* 0: the default of the cluster */
    uint64_t idle_ms;       /* a worker without a lease exits after this time */
    uint64_t backlog;       /* limit of allocations that wait in the cluster */
    uint64_t most;          /* limit of allocations that wait or run */
    const char *model;      /* of the cards; "": the model that the driver reports */
    bool simulated;
    bool here; /* start a step in the allocation that contains the coordinator */
    const char *const *options; /* passed to sbatch as they are */
    size_t option_count;
};

/* Checks names, limits and options. Fails with ERR_INPUT and the name of the option. */
int alloc_check(const struct allocation_request *request, struct err *err);

/* The counts that alloc_missing() decides from. */
struct alloc_load {
    uint64_t cards_wanted; /* needed by the tasks that wait */
    uint64_t cards_idle;   /* of connected workers that can take such a task now */
    uint64_t queued;       /* allocations of this queue that wait in the cluster */
    uint64_t starting;     /* running, but not all their workers are connected */
    uint64_t live;         /* queued, starting and running */
};

/* Returns how many more allocations to request now. */
uint64_t alloc_missing(const struct allocation_request *request,
                       const struct alloc_load *load);

/* Returns the wait after so many consecutive failures; 0 failures: 0. */
uint64_t alloc_back_off_ms(uint64_t failures);

#endif
