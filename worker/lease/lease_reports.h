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

struct lease_line;
struct reactor;
struct results;
struct tidings;

/* False: not now. */
typedef bool tidings_fn(void *arg, enum message_type type, const void *message);

/* Borrows the results and the line. */
struct tidings *tidings_create(struct reactor *reactor,
                               struct results *results,
                               const struct lease_line *line,
                               tidings_fn *tell,
                               void *arg);
void tidings_destroy(struct tidings *tidings); /* NULL is welcome */

void tidings_taken(struct tidings *tidings, uint64_t run_id, uint64_t rank);
/* There may be results. */
void tidings_results(struct tidings *tidings);
/* All of them that are due at once; with `anew` those that were told already, too. */
void tidings_now(struct tidings *tidings, bool anew);

#endif
