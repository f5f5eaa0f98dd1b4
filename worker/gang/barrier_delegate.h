/* barrier_delegate.h - connects the barrier memory of a host with other hosts
 *
 * One worker per host has a delegate. It reads the memory (lib/shm/rank_barrier.h) when
 * its bell rings. Arrivals of this host are reported through `arrived`, and outcomes of
 * other hosts are written to the memory. A stage that was aborted on this host -
 * because a rank died, cannot continue or is late - is reported once through `aborted`.
 *
 * At step 0 of a communicator that is a part of the run, it is unknown which of its
 * ranks are on this host. `arrived` is then called after each arrival, with all ranks
 * so far. */
#ifndef WORKER_GANG_BARRIER_DELEGATE_H
#define WORKER_GANG_BARRIER_DELEGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/shm/rank_barrier.h"

struct barrier_delegate;
struct reactor;

#define BARRIER_DELEGATE_NO_RANK UINT64_MAX

struct barrier_delegate_options {
    int memory; /* from barrier_memory(); borrowed */
    int bell;   /* non-blocking eventfd; borrowed */
    /* Ranks of this host have arrived at view->stage and wait for the outcome. */
    void (*arrived)(const struct barrier_view *view, void *arg);
    /* A stage was aborted on this host; view->outcome has the reason. */
    void (*aborted)(const struct barrier_view *view, void *arg);
    void *arg;
};

int barrier_delegate_open(struct barrier_delegate **out,
                          struct reactor *reactor,
                          const struct barrier_delegate_options *options,
                          struct err *err);
void barrier_delegate_close(struct barrier_delegate *delegate); /* NULL is allowed */

/* Writes the outcome of all hosts for a stage of a communicator. With `go`, all ranks
 * continue at `release_ns` of this host's monotonic clock. Otherwise `vote` is an enum
 * barrier_reason and `world_rank` the culprit. A late outcome is ignored. */
void barrier_delegate_release(struct barrier_delegate *delegate,
                              uint64_t group,
                              uint64_t stage,
                              bool go,
                              uint64_t release_ns,
                              uint64_t vote,
                              uint64_t world_rank);

/* Aborts every communicator and stage, now and later. */
void barrier_delegate_end(struct barrier_delegate *delegate,
                          uint64_t vote,
                          uint64_t world_rank);

#endif
