/* run.h - one rank of an attempt, from its lease to its result
 *
 *   idle -> (joining ->) running -> collecting -> sending -> idle
 *
 * joining: a rank of a gang waits for the shared memory of the barrier.
 * running: the operator runs.
 * collecting: the operator has ended; its last records are read from the rings.
 * sending: groups wait for acknowledgements; then result_store.h sends the result.
 *
 * A worker has one struct run and refuses a lease while it is not idle. All groups and
 * the result are on disk when collecting has ended. */
#ifndef WORKER_RUN_RUN_H
#define WORKER_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct isolation;
struct reactor;
struct result_store;
struct run;
struct spool;

struct run_options {
    const char *host, *model, *serial; /* of the card; borrowed */
    uint64_t card;
    bool simulated;
    bool restore_off;  /* for tests: do not restore device memory */
    bool as_submitter; /* operators run as the submitter's account */
    const char *spool_folder;
    const struct isolation *isolation; /* of operators; borrowed */
    /* Sends a group. Returns false when it cannot be sent now; the run tries again. */
    bool (*send_group)(void *arg, const struct msg_group *group);
    /* Sends the results that are due, or with `resend` all of them. */
    void (*send_results)(void *arg, bool resend);
    /* Returns true, with the reason in `text`, when the card reports a fault. With
     * `refresh` the management library is called even if its last answer is recent. */
    bool (*card_has_fault)(void *arg, bool resend, char *text, size_t size);
    /* Sends a message about the barrier, once. Returns false when it was not sent. */
    bool (*send_message)(void *arg, enum message_type type, const void *message);
    void *arg;
};

/* Borrows the spool and the result store, and continues a rank that an earlier worker
 * left there. */
struct run *run_create(struct reactor *reactor,
                       struct spool *spool,
                       struct result_store *results,
                       const struct run_options *options);
/* Kills the operator; groups and results stay on disk. NULL is allowed. */
void run_destroy(struct run *run);

bool run_is_idle(const struct run *run);
uint64_t run_id(const struct run *run); /* 0 when idle */

/* Starts the operator. A failed start ends with a result. Returns -1 only when the run
 * is not idle or the lease is for another card. */
int run_lease(struct run *run, const struct msg_lease *lease, struct err *err);
/* Sends a waiting lease to the runner, which starts it without waiting for the worker.
 * Returns false when the runner cannot take it now or at all. */
bool run_send_ahead(struct run *run, const struct msg_lease *lease);
/* Recalls all leases that were sent ahead. Returns false when the runner has already
 * started this one. */
bool run_recall(struct run *run, uint64_t run_id);
/* Discards the results of leases that the runner started ahead. */
void run_discard_ahead(struct run *run);
/* Ends the runner when idle, so that no process of this worker stays on the card. */
void run_end_runner(struct run *run);
/* Stops the operator; `status` and `reason` become those of the result. */
void run_stop(struct run *run, enum rank_status status, const char *reason);

void run_on_group_ack(struct run *run, const struct msg_group_ack *ack);
void run_on_group_refused(struct run *run, const struct msg_group_refused *refused);
void run_on_barrier_release(struct run *run, const struct msg_barrier_release *release);
void run_on_clock_pong(struct run *run, const struct msg_clock_pong *pong);
/* Sends groups and results that are due; with `resend` all that are not acknowledged.
 */
void run_send(struct run *run, bool resend);
/* Call it after SIGCHLD. */
void run_reap(struct run *run);

#endif
