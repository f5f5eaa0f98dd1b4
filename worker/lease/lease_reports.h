/* lease_reports.h - reports to the coordinator: lease taken, result of a rank
 *
 * Each message wakes the worker and the coordinator. While many leases wait, no task
 * depends on fast reports, so they are sent in batches, at most 5 ms later. When the
 * result is ready by then, the report that the lease was taken is omitted. */
#ifndef WORKER_LEASE_LEASE_REPORTS_H
#define WORKER_LEASE_LEASE_REPORTS_H

#include <stdbool.h>

#include "lib/wire/messages.h"

struct lease_queue;
struct reactor;
struct result_store;
struct lease_reports;

/* Sends one report. Returns false when it cannot be sent now. */
typedef bool lease_reports_fn(void *arg, enum message_type type, const void *message);

/* Borrows the result store and the queue. */
struct lease_reports *lease_reports_create(struct reactor *reactor,
                                           struct result_store *results,
                                           const struct lease_queue *queue,
                                           lease_reports_fn *send,
                                           void *arg);
void lease_reports_destroy(struct lease_reports *reports); /* NULL is allowed */

/* Reports that this lease was taken. */
void lease_reports_taken(struct lease_reports *reports, uint64_t run_id, uint64_t rank);
/* Reports new results of the store, if there are any. */
void lease_reports_results(struct lease_reports *reports);
/* Sends all reports that are due; with `resend` also those that were sent before and
 * are not acknowledged. */
void lease_reports_send_now(struct lease_reports *reports, bool resend);

#endif
