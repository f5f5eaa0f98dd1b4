/* scheduler_internal.h - functions of scheduler.c for scheduler_explain.c */
#ifndef COORDINATOR_PLACEMENT_SCHEDULER_INTERNAL_H
#define COORDINATOR_PLACEMENT_SCHEDULER_INTERNAL_H

#include <stdbool.h>

#include "coordinator/placement/gang_fit.h"
#include "coordinator/placement/host_load.h"
#include "coordinator/placement/scheduler.h"

struct ledger_job;

/* Returns the jobs that wait for cards, in the order in which they are served. free()
 * the array. */
struct ledger_job **scheduler_order_jobs(const struct scheduler_view *view,
                                         size_t *count);
/* Returns the card of this worker as gang_fit sees it for one job. `is_idle`: no rank
 * is leased to it. */
struct gang_fit_card scheduler_fit_card(const struct worker *worker,
                                        bool is_idle,
                                        const struct host_load *load,
                                        const struct ledger_job *job);

#endif
