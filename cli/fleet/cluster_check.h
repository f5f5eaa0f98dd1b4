/* cluster_check.h - checks with Slurm whether it would accept a request for nodes */
#ifndef CLI_FLEET_CLUSTER_CHECK_H
#define CLI_FLEET_CLUSTER_CHECK_H

#include "lib/base/err.h"

struct allocation_request;

/* Runs `sbatch --test-only`. ERR_INPUT with the error of sbatch when Slurm refuses the
 * request, or when no cluster is usable from this host. */
int cluster_check(const struct allocation_request *request, struct err *err);

#endif
