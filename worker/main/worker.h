/* worker.h - serves one card: creates the parts of a worker and runs its loop
 *
 * A worker runs the ranks that the coordinator leases to it, with the inject library,
 * and sends groups and results to the coordinator. */
#ifndef WORKER_MAIN_WORKER_H
#define WORKER_MAIN_WORKER_H

#include "lib/base/err.h"

struct join_ticket;
struct worker_settings;

/* Serves until a signal, the coordinator or an option ends the worker. `ticket` is used
 * when the settings name one. Fails when a part cannot be created. */
int worker_serve(const struct worker_settings *settings,
                 const struct join_ticket *ticket,
                 struct err *err);

#endif
