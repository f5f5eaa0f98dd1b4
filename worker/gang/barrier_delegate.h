/* barrier_delegate.h - the worker that speaks for its host's ranks to other hosts
 *
 * One worker of a host has the hub. It looks at the page (lib/shm/rank_barrier.h)
 * whenever its bell rings: ranks that stand at a stage are told onwards, and what other
 * hosts say is written onto the page. A stage that ended here without other hosts - a
 * rank has died, cannot go on, is late - is told as well, once.
 *
 * At step 0 of a group that is not the whole run nobody knows which of its ranks this
 * host has: `arrived` is then called after each of them, with all that came so far. */
#ifndef WORKER_GANG_BARRIER_DELEGATE_H
#define WORKER_GANG_BARRIER_DELEGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/shm/rank_barrier.h"

struct hub;
struct reactor;

#define HUB_NO_RANK UINT64_MAX

struct hub_options {
    int memory; /* of barrier_memory(); borrowed */
    int bell;   /* an eventfd that does not block; borrowed */
    /* Ranks of this host are at view->stage, and wait for a word. */
    void (*arrived)(const struct barrier_view *view, void *arg);
    /* It has ended here: view->verdict says why. */
    void (*aborted)(const struct barrier_view *view, void *arg);
    void *arg;
};

int hub_open(struct hub **out,
             struct reactor *reactor,
             const struct hub_options *options,
             struct err *err);
void hub_close(struct hub *hub); /* NULL is welcome */

/* The word of all hosts for a stage of a group. `go` or not: then `vote` is enum
 * barrier_reason, and the culprit a rank of the run. All go on at `release_ns` of this
 * host's monotonic clock. A word that comes too late changes nothing. */
void hub_release(struct hub *hub,
                 uint64_t group,
                 uint64_t stage,
                 bool go,
                 uint64_t release_ns,
                 uint64_t vote,
                 uint64_t world_rank);

/* The same for every group and stage, now and later. */
void hub_end(struct hub *hub, uint64_t vote, uint64_t world_rank);

#endif
