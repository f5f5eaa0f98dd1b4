/* host_workers.h - all cards of this host: they are found, and each has a worker
 *
 * The same command line for each, but for what is its own: its card, a spool below
 * ours.
 */
#ifndef WORKER_HOST_HOST_WORKERS_H
#define WORKER_HOST_HOST_WORKERS_H

#include "lib/base/err.h"

struct join_ticket;
struct worker_settings;

/* `argv` as it was typed; `own` is handed on where the settings say that there is one.
 * What supervise() says. */
int host_workers_serve(const struct worker_settings *settings,
                       const struct join_ticket *own,
                       int argc,
                       char **argv,
                       struct err *err);

#endif
