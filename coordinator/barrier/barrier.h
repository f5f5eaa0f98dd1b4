/* barrier.h - where the hosts of a gang meet
 *
 * A host arrives when its ranks of a group stand at a barrier, and is released, or not,
 * with all the others. The release names an instant a little ahead, by which the word
 * has reached them all. Who disagrees, cannot go on, or is missing at the deadline ends
 * the barrier for all, with his name. From the first barrier of a launch (phase 0) to
 * its last one (all say BARRIER_VOTE_FINISHED) no other group of the run is let
 * through: two groups that share cards would wait for each other crosswise.
 *
 * Nothing of it is kept on disk: what a restart forgets ends at its deadline. No
 * sockets, no clock of its own. */
#ifndef COORDINATOR_BARRIER_BARRIER_H
#define COORDINATOR_BARRIER_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/messages.h"

struct barriers;

/* The worker that speaks for a host. */
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
void barriers_destroy(struct barriers *barriers); /* NULL is welcome */

/* `world`: ranks of the run. What is not well made is answered, and counted. */
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
/* The run comes to an end: all who stand somewhere are told, and who comes later. */
void barriers_end(struct barriers *barriers,
                  uint64_t run_id,
                  uint64_t rank,
                  const char *reason);
/* Deadlines; and runs that `is_there` does not know are forgotten, and their hosts told
 * so. Some times a second while anybody stands anywhere. */
void barriers_tick(struct barriers *barriers,
                   struct barrier_clock clock,
                   bool (*is_there)(uint64_t run_id, void *arg),
                   void *arg);
bool barriers_are_empty(const struct barriers *barriers);

#endif
