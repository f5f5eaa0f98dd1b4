/* supervisor.h - a worker for each card of this host, all children of one process
 *
 * Who dies is started again, later each time; who ends because it was told to, or had
 * nothing to do, has ended. They end with us, however we go. */
#ifndef WORKER_HOST_SUPERVISOR_H
#define WORKER_HOST_SUPERVISOR_H

#include <stdint.h>

#include "lib/base/err.h"
#include "worker/host/card_list.h"

struct supervisor_options {
    const char *const *words; /* of each worker's command line, beside its card */
    size_t word_count;
    const char *spool; /* each has a folder below it */
};

/* Until all have ended, or a signal. The exit code: of the first that ended badly, or
 * 0; -1 with err: none could be started. */
int supervisor_run(const struct card_list *cards,
                   const struct supervisor_options *wish,
                   struct err *err);

#endif
