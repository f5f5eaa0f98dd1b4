/* group_barrier.h - waits of a group replay at the barrier, and their records */
#ifndef INJECT_REPLAY_GROUP_BARRIER_H
#define INJECT_REPLAY_GROUP_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/replay/replay_state.h"
#include "lib/capture/format/records.h"
#include "lib/shm/rank_barrier.h"

struct comm;

struct group_replay {
    struct replay replay;
    const struct comm *comm;
    struct barrier_place place;
    uint64_t sequence, fingerprint;
    uint64_t likeness; /* pass_sharing_fingerprint() after the first execution */
    uint32_t limit_ms;
    struct barrier_outcome outcome; /* of the last wait */
    enum pass_kind kind;            /* of the present execution */
    int failure;                    /* runtime error of an execution on this rank */
    struct snapshot results;        /* memory after the first execution */
};

/* Returns the limit for the first execution. Another host may miss the release that
 * this host has read. It then aborts at its own limit and launches its kernel later.
 * This execution belongs to the program, so the ranks wait for it that much longer. */
uint32_t group_barrier_first_limit_ms(const struct group_replay *group);
/* Waits for all ranks at a phase of an execution; `reason` is the report of this rank.
 * Writes a record. Returns true when all ranks continue; otherwise the reason of the
 * abort is stored. Shares the passes among the ranks when they are alike. */
bool group_barrier_wait(struct group_replay *group,
                        enum barrier_phase phase,
                        uint32_t execution,
                        enum barrier_reason reason);

#endif
