/* false_alarms.h - how often a gate is wrong
 *
 * A cell with the code and environment of the base should not regress, unless its card,
 * host or link became slow. The share of those that regressed though fresh runs did not
 * reproduce it, or without a cause, shows the gate's own rate. */
#ifndef LIB_GATE_FALSE_ALARMS_H
#define LIB_GATE_FALSE_ALARMS_H

#include "lib/compare/baseline.h"
#include "lib/gate/gate.h"

enum { FALSE_ALARM_NIGHTS = 10 };

/* A larger share than the first is shown; with more than the second no gate passes. */
#define FALSE_ALARMS_SHOWN 0.01
#define FALSE_ALARMS_MOST  0.05

/* Returns the share over the newest gated nights before the job and the job itself.
 * NaN: there are fewer than FALSE_ALARM_NIGHTS, or no such cells. `baseline` may be
 * NULL. */
double false_alarms_rate(const struct baseline *baseline,
                         uint64_t job_id,
                         const struct gate *gate);

#endif
