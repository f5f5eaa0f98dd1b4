/* gate_requests.h - requests of the command that decides whether a job passes */
#ifndef COORDINATOR_CLIENTS_GATE_REQUESTS_H
#define COORDINATOR_CLIENTS_GATE_REQUESTS_H

#include "lib/base/err.h"

struct client_reply;
struct incoming;
struct ledger;
struct store;

/* Each sends its reply or a refusal, and returns -1 only when the store failed. */

int gate_requests_job_file(struct store *store,
                           const struct incoming *in,
                           struct client_reply *reply,
                           struct err *err);
/* Stores the verdict as events, and the job as a night of its rolling baseline. The
 * caller checks that the job exists. */
int gate_requests_verdict(struct ledger *ledger,
                          struct store *store,
                          const struct incoming *in,
                          struct client_reply *reply,
                          struct err *err);

#endif
