/* scheduler.h - who gets which cards next
 *
 * Jobs stand in line by priority, which rises while a job gets nothing, and then by
 * age. A gang that does not find its cards free keeps them as they come free, so that
 * small tasks behind it cannot starve it; only the first gang in line does. */
#ifndef COORDINATOR_PLACEMENT_SCHEDULER_H
#define COORDINATOR_PLACEMENT_SCHEDULER_H

#include "coordinator/sessions/worker_sessions.h"

struct text;

/* Gives waiting tasks to idle cards, and then one more to each that waits there for
 * the one that runs. Who finds nothing gets what only waits elsewhere. */
int scheduler_run(struct sessions *control, struct err *err);

/* Why the task waits, or what it does: a line or a few, for people. */
void scheduler_explain(struct sessions *control,
                       const struct task *task,
                       struct text *out);

#endif
