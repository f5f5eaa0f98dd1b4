/* baselines.h - changes baselines, which are in the store only
 *
 * lib/compare/baseline.h has their rules. Each change adds an event: baseline.set,
 * baseline.dropped, baseline.night, baseline.split or baseline.quarantine. It is
 * durable after ledger_commit(). A change that is refused has changed nothing. */
#ifndef COORDINATOR_BASELINES_BASELINES_H
#define COORDINATOR_BASELINES_BASELINES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ledger;
struct msg_baseline;
struct msg_gate_verdict;
struct store;

enum { BASELINE_REPLY_SIZE = 320 };

/* Executes the request and writes the reply for the user. ERR_INPUT,
 * ERR_NOT_FOUND and ERR_CONFLICT are errors of the request. */
int baselines_handle_request(struct ledger *ledger,
                             struct store *store,
                             const struct msg_baseline *request,
                             char reply[BASELINE_REPLY_SIZE],
                             struct err *err);

/* Adds the job of a verdict as the newest night of its baseline. The night counts when
 * it passed: complete and not regressed. A night that is added again is replaced.
 * ERR_NOT_FOUND: there is no such baseline or job. ERR_INPUT: the job is not done.
 * ERR_CONFLICT: the baseline is frozen. */
int baselines_add_night(struct ledger *ledger,
                        struct store *store,
                        const struct msg_gate_verdict *verdict,
                        struct err *err);

#endif
