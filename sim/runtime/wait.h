/* wait.h - waiting for what other streams make true: one lock for all of it
 *
 * Events, notifies, captures and models stand under it. */
#ifndef SIM_RUNTIME_WAIT_H
#define SIM_RUNTIME_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

void wait_lock(void);
void wait_unlock(void);
void wait_wake_all(void); /* locked */
/* One round of waiting; false at the deadline (NULL: none). */
bool wait_once(const struct timespec *deadline);
struct timespec wait_deadline(uint64_t timeout_ms);

void wait_cond_init(pthread_cond_t *cond); /* with the clock of wait_deadline() */

#endif
