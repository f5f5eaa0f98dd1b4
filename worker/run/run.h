/* run.h - one rank of one attempt, from its lease until only its result is to be told
 *
 *   idle -> (joining ->) running -> gathering -> sending -> idle
 *
 * joining: a rank among others waits for the page where they meet.  * running: the
 * program lives. gathering: it has ended, its last records are taken from the rings.
 * sending: groups wait for their acks; then the result goes to results.h. A worker has
 * one of these, and refuses a lease while it is not idle. What is not acked is on disk
 * from gathering on, and most of it before. */
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
    const char *host, *model, *serial; /* of the card; borrowed for ever */
    uint64_t card;
    bool simulated;
    bool restore_off;  /* tests only */
    bool as_submitter; /* programs run as the account of who submitted them */
    const char *spool_folder;
    const struct isolation *isolation; /* of its programs; borrowed for ever */
    /* False: not now. It is tried again. */
    bool (*send_group)(void *arg, const struct msg_group *group);
    /* Those that are due, or, with `anew`, all that were not acked. */
    void (*tell_results)(void *arg, bool anew);
    /* Does the card say that it is not well? In words. `anew`: now, whatever it costs.
     */
    bool (*card_is_bad)(void *arg, bool anew, char *words, size_t size);
    /* What ranks say to each other; it is not tried again. */
    bool (*tell)(void *arg, enum message_type type, const void *message);
    void *arg;
};

/* Goes on with what an earlier worker left in spool and results; both are borrowed. */
struct run *run_create(struct reactor *reactor,
                       struct spool *spool,
                       struct result_store *results,
                       const struct run_options *options);
/* Kills what runs; what is spooled stays. NULL is welcome. */
void run_destroy(struct run *run);

bool run_is_idle(const struct run *run);
uint64_t run_id(const struct run *run); /* 0 when idle */

/* Starts the program. What cannot be started has a result all the same; -1 only when
 * we are not idle, or the lease is not for us. */
int run_lease(struct run *run, const struct msg_lease *lease, struct err *err);
/* What will be leased next goes to the runner where that need not wait for us. False:
 * not now, or never. */
bool run_ahead(struct run *run, const struct msg_lease *lease);
/* Nothing that went ahead begins any more; false: this one has begun already. */
bool run_take_back(struct run *run, uint64_t run_id);
/* What has begun ahead is not waited for. */
void run_forget_ahead(struct run *run);
/* Idle: nothing of ours stays on the card. */
void run_leave_card(struct run *run);
/* Ends the program; `status` is what its result will say. */
void run_stop(struct run *run, enum rank_status status, const char *reason);

void run_on_group_ack(struct run *run, const struct msg_group_ack *ack);
void run_on_group_refused(struct run *run, const struct msg_group_refused *refused);
void run_on_barrier_release(struct run *run, const struct msg_barrier_release *release);
void run_on_clock_pong(struct run *run, const struct msg_clock_pong *pong);
/* Sends what is due; with `anew` all that was not acked. */
void run_send(struct run *run, bool anew);
/* A child of ours ended. */
void run_reap(struct run *run);

#endif
