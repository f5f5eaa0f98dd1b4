/* host_load.h - what goes on on each host: of which jobs, and whether one has it to
 * itself
 *
 * Made for a turn of the loop, and only when some job cares. Who cares for nothing asks
 * NULL: then every host is free for everybody. */
#ifndef COORDINATOR_PLACEMENT_HOST_LOAD_H
#define COORDINATOR_PLACEMENT_HOST_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct host_load;
struct ledger;
struct ledger_job;

/* NULL when no job has a cap on a host or wants one to itself. */
struct host_load *host_load_create(const struct ledger *ledger);
void host_load_destroy(struct host_load *hosts); /* NULL is welcome */
/* One rank more of this job runs there. */
void host_load_add(struct host_load *hosts,
                   const char *host,
                   const struct ledger_job *job);

bool host_load_is_idle(const struct host_load *hosts,
                       const char *host); /* nothing runs */
bool host_load_is_exclusive(const struct host_load *hosts,
                            const char *host); /* by one task */
/* Ranks of this job that run there. */
size_t host_load_count(const struct host_load *hosts,
                       const char *host,
                       const struct ledger_job *job);

#endif
