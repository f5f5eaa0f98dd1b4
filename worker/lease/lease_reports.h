/* lease_reports.h - what is said home of leases: that one was taken, and how it ended
 *
 * Each message wakes the processes at both ends. While many more leases wait in the
 * line nobody over there waits for news of the last ones: they go together, some
 * milliseconds later at most. What was taken and is over by then is told by its result
 * alone. */
#ifndef WORKER_LEASE_LEASE_REPORTS_H
#define WORKER_LEASE_LEASE_REPORTS_H

#include <stdbool.h>

#include "lib/wire/messages.h"

struct lease_queue;
struct reactor;
struct result_store;
struct lease_reports;

/* False: not now. */
typedef bool lease_reports_fn(void *arg, enum message_type type, const void *message);

/* Borrows the results and the line. */
struct lease_reports *lease_reports_create(struct reactor *reactor,
                                           struct result_store *results,
                                           const struct lease_queue *line,
                                           lease_reports_fn *tell,
                                           void *arg);
void lease_reports_destroy(struct lease_reports *tidings); /* NULL is welcome */

void lease_reports_taken(struct lease_reports *tidings, uint64_t run_id, uint64_t rank);
/* There may be results. */
void lease_reports_results(struct lease_reports *tidings);
/* All of them that are due at once; with `anew` those that were told already, too. */
void lease_reports_now(struct lease_reports *tidings, bool anew);

#endif
