/* host_load.h - what goes on on each host: of which jobs, and whether one has it to
 * itself
 *
 * Made for a turn of the loop, and only when some job cares. Who cares for nothing asks
 * NULL: then every host is free for everybody. */
#ifndef COORDINATOR_PLACEMENT_HOST_LOAD_H
#define COORDINATOR_PLACEMENT_HOST_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct hosts;
struct ledger;
struct ledger_job;

/* NULL when no job has a cap on a host or wants one to itself. */
struct hosts *hosts_create(const struct ledger *ledger);
void hosts_destroy(struct hosts *hosts); /* NULL is welcome */
/* One rank more of this job runs there. */
void hosts_add(struct hosts *hosts, const char *host, const struct ledger_job *job);

bool hosts_is_quiet(const struct hosts *hosts, const char *host); /* nothing runs */
bool hosts_is_owned(const struct hosts *hosts, const char *host); /* by one task */
/* Ranks of this job that run there. */
size_t
hosts_count(const struct hosts *hosts, const char *host, const struct ledger_job *job);

#endif
