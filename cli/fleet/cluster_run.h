/* cluster_run.h - a private run whose cards a cluster gives
 *
 * The coordinator is ours, on this host; its one queue asks for what the job needs, or,
 * where we stand in an allocation already, starts a step of that. It goes with us. */
#ifndef CLI_FLEET_CLUSTER_RUN_H
#define CLI_FLEET_CLUSTER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client;

struct cluster_run {
    uint64_t nodes; /* 0: as the allocation has, else 1 */
    uint64_t cards; /* on all of them */
    const char *model;
    bool simulated;
};

/* Cards of each node; the nodes are filled in. ERR_INPUT: they do not come out even. */
int cluster_run_plan(struct cluster_run *run,
                     uint64_t *cards_per_node,
                     struct err *err);
int cluster_run_begin(struct client *client,
                      const struct cluster_run *run,
                      uint64_t cards_per_node,
                      struct err *err);
/* Gives everything back; waits for that, but not for ever. */
int cluster_run_end(struct client *client, struct err *err);

#endif
