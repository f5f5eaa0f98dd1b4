/* barrier_relay.h - between the hosts of a gang: barriers, and what time it is
 *
 * What is said here leaves at once, past the outbox: nothing of it is kept on disk, and
 * the time that a commit takes would be the barrier's. */
#ifndef COORDINATOR_SESSIONS_BARRIER_RELAY_H
#define COORDINATOR_SESSIONS_BARRIER_RELAY_H

#include "coordinator/sessions/worker_sessions.h"

/* For barriers_create(); `arg` is the control. */
barrier_fn barrier_relay_release;
/* barrier_arrive, barrier_abort, clock_ping. */
void barrier_relay_handle(struct sessions *control,
                          const struct worker *worker,
                          const struct incoming *in);
/* Deadlines; some times a second. */
void barrier_relay_tick(struct sessions *control);

#endif
