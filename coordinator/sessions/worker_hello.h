/* worker_hello.h - a worker comes, or comes back with what it still has */
#ifndef COORDINATOR_SESSIONS_WORKER_HELLO_H
#define COORDINATOR_SESSIONS_WORKER_HELLO_H

#include "coordinator/sessions/worker_sessions.h"

/* Its hello. What it has that counts stays with it, what it has lost is lost, and what
 * was given to its card before goes on with it. -1: the store failed. */
int worker_hello_handle(struct sessions *control,
                        const struct incoming *in,
                        struct err *err);

#endif
