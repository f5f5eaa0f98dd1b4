/* host_workers.h - finds the cards of this host and starts one worker per card
 *
 * All workers get the same command line, except card, spool folder and parent pipe. */
#ifndef WORKER_HOST_HOST_WORKERS_H
#define WORKER_HOST_HOST_WORKERS_H

#include "lib/base/err.h"

struct join_ticket;
struct worker_settings;

/* Serves until all workers have ended; returns what supervisor_run() returns. `argv` is
 * the original command line. `ticket` is passed to the workers if the settings name
 * one. */
int host_workers_serve(const struct worker_settings *settings,
                       const struct join_ticket *ticket,
                       char **argv,
                       struct err *err);

#endif
