/* inject_server.h - the worker's end of the control channel to the inject library
 *
 * There is one server per rank. Each process of the operator that sends HELLO gets a
 * ring and a shard, and an answer to each PREPARE. A group builder per process turns
 * the records of its ring into groups. */
#ifndef WORKER_CAPTURE_INJECT_SERVER_H
#define WORKER_CAPTURE_INJECT_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "worker/capture/group_builder.h"

struct launch_decision;
struct reactor;
struct record_run_rank;
struct inject_server;

struct inject_server_options {
    struct record_run_rank *rank; /* copied; pid and program are set per process */
    struct launch_decision *decision;
    bool restore_off; /* for tests: do not restore device memory */
    bool ranges;      /* replay marked ranges instead of launches */
    /* Descriptors of the barrier (lib/shm/rank_barrier.h), borrowed. The memory is -1
     * for a rank without a gang; the bell is -1 when all ranks are on this host. */
    int barrier, barrier_bell;
    const uint32_t *cards; /* of a process with several cards, by rank; borrowed */
    size_t card_count;     /* 0: one card */
    uint64_t start;        /* number of the program start, equal on all ranks */
    uint32_t start_count;  /* program starts of an application replay; 0: none */
    uint32_t ring_lanes;   /* threads that write at the same time (lib/shm/ring.h) */
    group_builder_fn *on_group;
    uint64_t launches_wanted; /* launches after which on_launches_measured is called,
                                 once; 0: never */
    void (*on_launches_measured)(void *arg);
    /* Called after inject_server_finish() when all records were read; it may close the
     * server. */
    void (*on_finished)(void *arg);
    void *arg;
};

struct inject_server_totals {
    uint32_t processes; /* that sent HELLO */
    struct group_builder_totals all;
    char plan_error[240]; /* why a launch could not be planned; "": all were */
};

int inject_server_open(struct inject_server **out,
                       struct reactor *reactor,
                       const struct inject_server_options *options,
                       struct err *err);
void inject_server_close(struct inject_server *server); /* NULL is allowed */

/* The descriptor that the operator inherits, and the environment variable that names
 * it. */
int inject_server_operator_fd(const struct inject_server *server);
void inject_server_variable(const struct inject_server *server, char out[64]);
/* Closes the worker's copy of the inherited descriptor after the start of the operator.
 */
void inject_server_close_operator_fd(struct inject_server *server);

/* Call it when the operator has ended and its process group is being killed. The server
 * waits at most 3 s for the last process, reads the rest of the rings and calls
 * on_finished, possibly before this function returns. */
void inject_server_finish(struct inject_server *server);

/* Prepares the next start of an application replay after on_finished: creates a new
 * socket. The n-th process of the new start continues the shard of the n-th process. */
int inject_server_next_start(struct inject_server *server,
                             uint64_t start,
                             struct err *err);

void inject_server_get_totals(const struct inject_server *server,
                              struct inject_server_totals *totals);

#endif
