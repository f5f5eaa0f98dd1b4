/* supervisor.h - a worker for each card of this host, all children of one process
 *
 * Who dies is started again, later each time; who ends because it was told to, or had
 * nothing to do, has ended. They end with us, however we go. */
#ifndef WORKER_HOST_SUPERVISOR_H
#define WORKER_HOST_SUPERVISOR_H

#include <stdint.h>

#include "lib/base/err.h"
#include "worker/host/card_list.h"

struct supervise_wish {
    const char *const *words; /* of each worker's command line, beside its card */
    size_t word_count;
    const char *spool; /* each has a folder below it */
};

/* Until all have ended, or a signal. The exit code: of the first that ended badly, or
 * 0; -1 with err: none could be started. */
int supervise(const struct host_cards *cards,
              const struct supervise_wish *wish,
              struct err *err);

#endif
