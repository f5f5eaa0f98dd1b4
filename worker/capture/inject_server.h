/* inject_server.h - the worker's end of the talk with the operator's processes
 *
 * One for a run. A process that says HELLO gets a ring, a shard and an answer to each
 * of its questions; the records of all go through one gather each. */
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
    struct record_run_rank *rank; /* pid and program are filled for each process */
    struct launch_decision *decision;
    bool restore_off; /* tests only */
    bool ranges;      /* marked ranges are replayed, and no launch by itself */
    /* Where the ranks of the gang meet (lib/shm/rank_barrier.h), and the bell of that;
     * borrowed. -1: this rank is alone, or all ranks are on this host. */
    int meeting, meeting_bell;
    const uint32_t *cards; /* of a process that drives several, by rank; borrowed */
    size_t card_count;     /* 0: it drives one */
    uint64_t start;        /* of the program, alike on all ranks: which one it is */
    uint32_t starts; /* how often the program is started for one measurement; 0: once */
    gather_fn *on_group;
    uint64_t enough; /* launches, after which on_enough is called, once; 0: never */
    void (*on_enough)(void *arg);
    /* All processes have gone after inject_server_finish(); may close it. */
    void (*on_finished)(void *arg);
    void *arg;
};

struct inject_server_sums {
    uint32_t processes; /* that said HELLO */
    struct group_builder_sums all;
    char refused[240]; /* why a launch was not planned; "" when none */
};

int inject_server_open(struct inject_server **out,
                       struct reactor *reactor,
                       const struct inject_server_options *options,
                       struct err *err);
void inject_server_close(struct inject_server *rendezvous); /* NULL is welcome */

/* The end that the operator inherits, and what its environment says of it. */
int inject_server_their_end(const struct inject_server *rendezvous);
void inject_server_variable(const struct inject_server *rendezvous, char out[64]);
/* The operator has been started: its end is its own now. */
void inject_server_started(struct inject_server *rendezvous);

/* The operator has ended and its group is being killed: waits, up to a limit, for the
 * last of its processes, and then gathers the rest. Calls on_finished, now or later. */
void inject_server_finish(struct inject_server *rendezvous);

/* After on_finished, when there are more starts to come: a new end for the next one,
 * whose processes go on where those of the last one stopped, in their order. */
int inject_server_again(struct inject_server *rendezvous,
                        uint64_t start,
                        struct err *err);

void inject_server_sum(const struct inject_server *rendezvous,
                       struct inject_server_sums *sums);

#endif
