/* fault_points.h - injects faults into a replay, for tests
 *
 * Works only in a build with test switches. MUSTER_TEST_FAULT_POINT is a list of
 * `rank:point:n:action`, separated by commas. The action happens when this rank reaches
 * the point for the n-th time, from 1. Actions: kill, stop, late=MS, fail. */
#ifndef INJECT_REPLAY_FAULT_POINTS_H
#define INJECT_REPLAY_FAULT_POINTS_H

#include <stdbool.h>
#include <stdint.h>

enum fault_place {
    FAULT_PREPARE, /* before the barrier PREPARE */
    FAULT_SAVE,    /* before memory is saved */
    FAULT_RESTORE, /* before memory is restored */
    FAULT_ARM,     /* before counters start */
    FAULT_START,   /* before the barrier START */
    FAULT_RUN,     /* after the release and before the launch */
    FAULT_WAIT,    /* after the launch and before the synchronization */
    FAULT_END,     /* before the barrier END */
    FAULT_POINTS
};

#ifdef MUSTER_TEST_SWITCHES
/* Executes `kill`, `stop` and `late=MS`. Returns true when the caller must `fail`. */
bool fault_point(enum fault_place point);
/* Sets the rank of the calling thread. */
void fault_rank(uint32_t rank);
#else
static inline bool fault_point(enum fault_place point)
{
    (void)point;
    return false;
}

static inline void fault_rank(uint32_t rank)
{
    (void)rank;
}
#endif

#endif
