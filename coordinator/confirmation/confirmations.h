/* confirmations.h - confirms the suspects of a job by runs of both programs in turn
 *
 * A confirmation is a job as any other, so that a coordinator that is killed continues
 * it. When its job has ended, the suspects get their causes; when its time is over, the
 * tasks that wait are cancelled, and the values that exist decide. The store has all of
 * its state: tables `confirmations` and `suspects`. */
#ifndef COORDINATOR_CONFIRMATION_CONFIRMATIONS_H
#define COORDINATOR_CONFIRMATION_CONFIRMATIONS_H

#include <stdint.h>

#include "lib/base/err.h"

struct confirmations;
struct fleet;
struct ledger;
struct ledger_job;
struct msg_confirm_suspects;
struct store;

struct confirmations *confirmations_create(struct ledger *ledger,
                                           struct store *store,
                                           const struct fleet *fleet);
void confirmations_destroy(struct confirmations *confirmations); /* NULL is allowed */
/* Reads the confirmations without causes from the store. */
int confirmations_load(struct confirmations *confirmations, struct err *err);

/* Submits the job of a confirmation. ERR_INPUT and ERR_NOT_FOUND are errors of the
 * request. */
int confirmations_start(struct confirmations *confirmations,
                        const struct msg_confirm_suspects *request,
                        struct ledger_job **job,
                        struct err *err);
/* Judges the confirmations whose jobs have ended, and ends those whose time is over.
 * Call it in each turn before the commit. Returns -1 when the store failed. */
int confirmations_turn(struct confirmations *confirmations, struct err *err);

#endif
