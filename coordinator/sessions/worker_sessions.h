/* worker_sessions.h - the protocol between the coordinator and its workers
 *
 * Sends leases and handles what workers report about them. A worker that is silent for
 * more than four heartbeats is lost, and so are its ranks, unless the worker returns
 * before their tasks start again. A peer that has not sent its hello is ignored; its
 * heartbeat is refused, so that the worker sends its hello at once. */
#ifndef COORDINATOR_SESSIONS_WORKER_SESSIONS_H
#define COORDINATOR_SESSIONS_WORKER_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct fleet;
struct incoming;
struct ledger;
struct ledger_job;
struct link;
struct msg_read_log;
struct outbox;
struct peer;
struct scheduler_actions;
struct sessions;
struct store;

/* Borrows everything. `link` is the control link. */
struct sessions *sessions_create(struct ledger *ledger,
                                 struct fleet *fleet,
                                 struct outbox *outbox,
                                 struct link *link,
                                 const char *store_id);
void sessions_destroy(struct sessions *sessions); /* NULL is allowed */

/* All functions that return int return -1 when the store failed. */

/* Handles a message of the control link. *handled is false for messages that workers do
 * not send. */
int sessions_handle_message(struct sessions *sessions,
                            const struct incoming *in,
                            bool *handled,
                            struct err *err);
/* Stores a capture group that came on the data link, and acknowledges it. */
int sessions_handle_group(struct sessions *sessions,
                          struct link *data_link,
                          const struct incoming *in,
                          struct err *err);
/* Finds workers and ranks that are overdue. Call it at least once per heartbeat. */
int sessions_tick(struct sessions *sessions, uint64_t now_ms, struct err *err);
/* Ends barriers whose deadline has passed. Call it several times a second. */
void sessions_tick_barriers(struct sessions *sessions);

/* Stops the other ranks of attempts that failed in one rank. Call it once per turn,
 * before the scheduler. */
void sessions_stop_failed_attempts(struct sessions *sessions);
/* Executes the actions of scheduler_plan() in their order. Stops at the first store
 * error. */
int sessions_apply(struct sessions *sessions,
                   const struct scheduler_actions *actions,
                   struct err *err);
/* Returns true when at least half of a worker's leases are unsent; then the caller
 * commits at once, so that the worker does not become idle. */
bool sessions_need_commit_now(const struct sessions *sessions);
/* Clears the count of unsent leases. Call it after each flush of the outbox. */
void sessions_leases_sent(struct sessions *sessions);

/* Recalls the leases that wait at drained cards. */
void sessions_recall_from_drained_cards(struct sessions *sessions);
/* Recalls the leases of the job that have not started. With `now`, also stops the ranks
 * that run. */
void sessions_stop_job(struct sessions *sessions,
                       const struct ledger_job *job,
                       bool now);
/* Sends all workers the request to exit. */
void sessions_disconnect_all(struct sessions *sessions, const char *reason);

/* Fetches a piece of an operator's output from the worker that has it, and sends it to
 * the client. Replies at once when the worker is not connected. */
int sessions_read_log(struct sessions *sessions,
                      struct store *store,
                      const struct peer *client,
                      const struct msg_read_log *request,
                      struct err *err);

#endif
