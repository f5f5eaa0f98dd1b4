/* run_collect.h - prepares the collection of the files that the program of a rank
 * writes
 *
 * With tool 'iree' these are the files of a pattern, with tool 'simulator' the logs of
 * the vendor's instruction simulator. */
#ifndef WORKER_RUN_RUN_COLLECT_H
#define WORKER_RUN_RUN_COLLECT_H

#include "lib/capture/vendor_simulator.h"
#include "worker/process/environment.h"
#include "worker/run/run_internal.h"

struct run_simulation {
    struct vendor_simulator simulator;
    char logs[PATH_MAX];
    struct environment_simulation environment; /* points into the other members */
};

const char *run_working_folder(const struct run *run, const struct msg_lease *lease);
/* Finds the simulator and makes the folder for its logs. The spool removes this folder
 * with its work folder. `account` is that of the program, or NULL. */
int run_prepare_simulation(struct run *run,
                           const struct msg_lease *lease,
                           const struct run_as_user *account,
                           struct run_simulation *out,
                           struct err *err);
/* Lists the present files. Does nothing for a program that writes none. */
int run_open_collector(struct run *run,
                       const struct msg_lease *lease,
                       const struct run_as_user *account,
                       struct err *err);

#endif
