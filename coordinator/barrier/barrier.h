/* barrier.h - barriers between the hosts of a gang
 *
 * A host arrives when its ranks of a communicator have reached a barrier. When all
 * hosts have arrived, each gets a release with a time slightly ahead, by which the
 * release has reached all of them. The barrier is aborted for all hosts when a rank is
 * at another kernel, cannot continue, or is missing at the deadline; the abort names
 * this rank.
 *
 * From the first barrier of a launch (phase 0) to its last barrier (all ranks vote
 * BARRIER_VOTE_FINISHED) no other communicator of the attempt is released: two
 * communicators that share cards would block each other.
 *
 * Barriers are not stored; after a restart the hosts end at their deadlines. This
 * module uses no sockets and no clock of its own. */
#ifndef COORDINATOR_BARRIER_BARRIER_H
#define COORDINATOR_BARRIER_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/messages.h"

struct barriers;

/* The worker that represents a host. */
struct barrier_host {
    const char *host;
    int32_t card;
};

struct barrier_clock {
    uint64_t now_ms; /* monotonic, both */
    uint64_t now_ns;
};

typedef void barrier_fn(const struct barrier_host *to,
                        const struct msg_barrier_release *release,
                        void *arg);

struct barriers *barriers_create(barrier_fn *release, void *arg);
void barriers_destroy(struct barriers *barriers); /* NULL is allowed */

/* `world`: number of ranks of the attempt. A malformed arrival is answered with an
 * abort. */
void barriers_arrive(struct barriers *barriers,
                     const struct barrier_host *from,
                     uint32_t world,
                     const struct msg_barrier_arrive *arrive,
                     struct barrier_clock clock);
void barriers_abort(struct barriers *barriers,
                    const struct barrier_host *from,
                    uint32_t world,
                    const struct msg_barrier_abort *abort,
                    struct barrier_clock clock);
/* Sends an abort to all hosts of the attempt. */
void barriers_end(struct barriers *barriers,
                  uint64_t run_id,
                  uint64_t rank,
                  const char *reason);
/* Aborts barriers at their deadlines, and ends the barriers of attempts that do not
 * exist any more. Call it several times a second unless barriers_are_empty(). */
void barriers_tick(struct barriers *barriers,
                   struct barrier_clock clock,
                   bool (*exists)(uint64_t run_id, void *arg),
                   void *arg);
bool barriers_are_empty(const struct barriers *barriers);

#endif
