/* wait.h - the lock and the condition variable with which streams wait for each other
 *
 * The lock protects events, notifies, captures and models. */
#ifndef SIM_RUNTIME_STREAM_WAIT_H
#define SIM_RUNTIME_STREAM_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

void wait_lock(void);
void wait_unlock(void);
void wait_wake_all(void); /* locked */
/* Waits for one wake-up. Returns false at the deadline; NULL: no deadline. */
bool wait_once(const struct timespec *deadline);
struct timespec wait_deadline(uint64_t timeout_ms);

void wait_cond_init(pthread_cond_t *cond); /* uses the clock of wait_deadline() */

#endif
