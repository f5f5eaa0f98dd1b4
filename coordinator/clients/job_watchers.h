/* job_watchers.h - clients that receive the progress of a job until it ends */
#ifndef COORDINATOR_CLIENTS_JOB_WATCHERS_H
#define COORDINATOR_CLIENTS_JOB_WATCHERS_H

#include <stdint.h>

struct fleet;
struct ledger;
struct ledger_job;
struct link;
struct outbox;
struct peer;
struct job_watchers;

/* Borrows everything. */
struct job_watchers *job_watchers_create(struct ledger *ledger,
                                         const struct fleet *fleet,
                                         struct outbox *outbox,
                                         struct link *link);
void job_watchers_destroy(struct job_watchers *watchers); /* NULL is allowed */

/* Sends the progress now, and again with each job_watchers_notify(). */
void job_watchers_add(struct job_watchers *watchers,
                      const struct peer *peer,
                      const struct ledger_job *job);
/* Sends the progress of changed jobs, and forgets watchers of jobs that have ended. */
void job_watchers_notify(struct job_watchers *watchers);

#endif
