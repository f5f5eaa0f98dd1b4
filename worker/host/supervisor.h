/* supervisor.h - starts one worker process per card and restarts those that fail
 *
 * The delay before a restart doubles with each failure. A worker that ended regularly,
 * or with an error that a restart cannot repair, is not restarted. The workers end when
 * this process ends, because they watch a pipe that it holds. */
#ifndef WORKER_HOST_SUPERVISOR_H
#define WORKER_HOST_SUPERVISOR_H

#include <stdint.h>

#include "lib/base/err.h"
#include "worker/host/card_list.h"

struct supervisor_options {
    const char **words; /* options of each worker; NULL-terminated */
    const char *spool;  /* each worker has a folder in it */
    int parent_fd;      /* stop when this pipe closes; -1: none */
};

/* Runs until all workers have ended; SIGTERM and SIGINT stop them. Returns 0, or the
 * exit code of the first worker that failed for good; -1 with err when no worker was
 * started. */
int supervisor_run(const struct card_list *cards,
                   const struct supervisor_options *options,
                   struct err *err);

#endif
