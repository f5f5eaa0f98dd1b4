/* host_load.h - running ranks per host and job, and exclusive hosts
 *
 * Counts once per turn, and only when a job limits its use of hosts. Otherwise
 * host_load_create() returns NULL, and the questions answer for NULL that every host is
 * free. */
#ifndef COORDINATOR_PLACEMENT_HOST_LOAD_H
#define COORDINATOR_PLACEMENT_HOST_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct host_load;
struct ledger;
struct ledger_job;

/* Returns NULL when no job has a host_cap or needs a host for itself. */
struct host_load *host_load_create(const struct ledger *ledger);
void host_load_destroy(struct host_load *load); /* NULL is allowed */
/* Counts one more rank of this job on the host. */
void host_load_add(struct host_load *load,
                   const char *host,
                   const struct ledger_job *job);

/* Returns true when no rank runs on the host. */
bool host_load_is_idle(const struct host_load *load, const char *host);
/* Returns true when a job uses the host for itself. */
bool host_load_is_exclusive(const struct host_load *load, const char *host);
/* Returns the number of ranks of this job on the host. */
size_t host_load_count(const struct host_load *load,
                       const char *host,
                       const struct ledger_job *job);

#endif
