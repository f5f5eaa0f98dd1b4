/* fault_points.h - faults on purpose, at a point of a replay, for the tests of it
 *
 * Only where the build has test switches; else all of this is nothing. INJECT_TRIAL is
 * `rank:point:n:what`, several joined by commas: what happens to that rank of the run
 * when it comes to the point for the n-th time, from 1. */
#ifndef INJECT_REPLAY_FAULT_POINTS_H
#define INJECT_REPLAY_FAULT_POINTS_H

#include <stdbool.h>
#include <stdint.h>

enum trial_point {
    TRIAL_PREPARE, /* before it tells the others what it wants */
    TRIAL_SAVE,    /* before memory is saved */
    TRIAL_RESTORE, /* before memory is put back */
    TRIAL_ARM,     /* before counters start */
    TRIAL_START,   /* before the others are told that it is ready */
    TRIAL_RUN,     /* all have been released, nothing is launched */
    TRIAL_WAIT,    /* it is launched and runs */
    TRIAL_END,     /* before the others are told that it has ended */
    TRIAL_POINTS
};

#ifdef MUSTER_TEST_SWITCHES
/* `kill`, `stop` and `late=MS` happen here; true when it shall `fail`. */
bool trial_at(enum trial_point point);
/* Which rank the calling thread is. */
void trial_rank(uint32_t rank);
#else
static inline bool trial_at(enum trial_point point)
{
    (void)point;
    return false;
}

static inline void trial_rank(uint32_t rank)
{
    (void)rank;
}
#endif

#endif
