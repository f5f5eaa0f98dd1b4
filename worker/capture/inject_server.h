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

struct decide;
struct reactor;
struct record_run_rank;
struct rendezvous;

struct rendezvous_options {
    struct record_run_rank *rank; /* pid and program are filled for each process */
    struct decide *decide;
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
    /* All processes have gone after rendezvous_finish(); may close it. */
    void (*on_finished)(void *arg);
    void *arg;
};

struct rendezvous_sums {
    uint32_t processes; /* that said HELLO */
    struct gather_sums all;
    char refused[240]; /* why a launch was not planned; "" when none */
};

int rendezvous_open(struct rendezvous **out,
                    struct reactor *reactor,
                    const struct rendezvous_options *options,
                    struct err *err);
void rendezvous_close(struct rendezvous *rendezvous); /* NULL is welcome */

/* The end that the operator inherits, and what its environment says of it. */
int rendezvous_their_end(const struct rendezvous *rendezvous);
void rendezvous_variable(const struct rendezvous *rendezvous, char out[64]);
/* The operator has been started: its end is its own now. */
void rendezvous_started(struct rendezvous *rendezvous);

/* The operator has ended and its group is being killed: waits, up to a limit, for the
 * last of its processes, and then gathers the rest. Calls on_finished, now or later. */
void rendezvous_finish(struct rendezvous *rendezvous);

/* After on_finished, when there are more starts to come: a new end for the next one,
 * whose processes go on where those of the last one stopped, in their order. */
int rendezvous_again(struct rendezvous *rendezvous, uint64_t start, struct err *err);

void rendezvous_sum(const struct rendezvous *rendezvous, struct rendezvous_sums *sums);

#endif
