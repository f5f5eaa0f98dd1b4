/* state_lock.h - one lock for all tables that are changed rarely
 *
 * Notifications never take it. A signal handler that interrupts its holder gets false
 * in place of a deadlock. Before fork() the lock is taken, so that the tables of the
 * child are complete. */
#ifndef XPTI_DISPATCHER_STATE_LOCK_H
#define XPTI_DISPATCHER_STATE_LOCK_H

#include <stdbool.h>

/* Returns false when the calling thread already holds the lock. */
bool state_lock(void);
void state_unlock(void);

#endif
