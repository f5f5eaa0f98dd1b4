/* cluster_run.h - a private run on cards of a Slurm cluster
 *
 * The coordinator runs on this host. Its one allocation queue requests the cards that
 * the job needs; inside an allocation it starts a step there instead. The queue is
 * removed at the end of the run. */
#ifndef CLI_FLEET_CLUSTER_RUN_H
#define CLI_FLEET_CLUSTER_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client;

struct cluster_run {
    uint64_t nodes; /* 0: all nodes of the current allocation, or 1 */
    uint64_t cards; /* on all nodes together */
    const char *model;
    bool simulated;
};

/* Computes the cards per node and fills in the nodes. ERR_INPUT: the cards cannot be
 * divided equally among the nodes. */
int cluster_run_plan(struct cluster_run *run,
                     uint64_t *cards_per_node,
                     struct err *err);
/* Asks Slurm whether it would grant the nodes, unless this process is in an allocation.
 * ERR_INPUT: the error of sbatch. */
int cluster_run_check(const struct cluster_run *run,
                      uint64_t cards_per_node,
                      struct err *err);
/* Adds the allocation queue to the coordinator. Removes the queue of an earlier run. */
int cluster_run_begin(struct client *client,
                      const struct cluster_run *run,
                      uint64_t cards_per_node,
                      struct err *err);
/* Removes the queue and waits up to 30s until its allocations have ended. */
int cluster_run_end(struct client *client, struct err *err);

#endif
