/* fault_points.h - faults on purpose, at a point of a replay, for the tests of it
 *
 * Only where the build has test switches; else all of this is nothing.
 * MUSTER_TEST_FAULT_POINT is `rank:point:n:what`, several joined by commas: what
 * happens to that rank of the run when it comes to the point for the n-th time, from 1.
 */
#ifndef INJECT_REPLAY_FAULT_POINTS_H
#define INJECT_REPLAY_FAULT_POINTS_H

#include <stdbool.h>
#include <stdint.h>

enum fault_place {
    FAULT_PREPARE, /* before it tells the others what it wants */
    FAULT_SAVE,    /* before memory is saved */
    FAULT_RESTORE, /* before memory is put back */
    FAULT_ARM,     /* before counters start */
    FAULT_START,   /* before the others are told that it is ready */
    FAULT_RUN,     /* all have been released, nothing is launched */
    FAULT_WAIT,    /* it is launched and runs */
    FAULT_END,     /* before the others are told that it has ended */
    FAULT_POINTS
};

#ifdef MUSTER_TEST_SWITCHES
/* `kill`, `stop` and `late=MS` happen here; true when it shall `fail`. */
bool fault_point(enum fault_place point);
/* Which rank the calling thread is. */
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
