/* worker_sessions.h - the coordinator's talk with its workers
 *
 * Hands out leases and hears how they end. A worker that is silent for more than four
 * heartbeats is lost; so is what it ran, unless it comes back before somebody else has
 * begun. What a peer says before its hello is not heard; its heartbeat is refused, so
 * that it says hello at once. */
#ifndef COORDINATOR_SESSIONS_WORKER_SESSIONS_H
#define COORDINATOR_SESSIONS_WORKER_SESSIONS_H

#include <stdbool.h>

#include "coordinator/barrier/barrier.h"
#include "coordinator/fleet/card_faults.h"
#include "coordinator/fleet/drains.h"
#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/net/outbox.h"
#include "coordinator/sessions/log_relay.h"

struct sessions {
    struct ledger *ledger;
    struct outbox *outbox;
    struct link *link;
    const char *store_id;
    struct workers workers;
    uint64_t ticked_ms;
    struct drains *drains;
    struct card_faults faults; /* of cards, that drains come of */
    struct barriers *barriers; /* of gangs on several hosts; see relay.h */
    struct log_relay logs;
};

/* -1: the store failed. *mine is false for what is not said by workers. */
int sessions_handle_message(struct sessions *control,
                            const struct incoming *in,
                            bool *mine,
                            struct err *err);
/* Now and then, at least once a heartbeat; the time is clock_mono_ms(). */
int sessions_tick(struct sessions *control, uint64_t now_ms, struct err *err);
/* Tells the parts of a gang that came to a bad end; once a turn, before leases. */
void sessions_stop_failed_attempts(struct sessions *control);
/* What the part's worker is to run. */
void sessions_send_lease(struct sessions *control, struct attempt_rank *rank);
/* Some worker has no more in hand than what waits here to be sent to it: it should not
 * come to an end of it. As long as that is so of none, a commit may wait for more. */
bool sessions_need_commit_now(const struct sessions *control);
/* The outbox was flushed. */
void sessions_leases_sent(struct sessions *control);
/* Its worker gives it back, when it has not begun. */
void sessions_recall_rank(struct sessions *control,
                          struct attempt_rank *rank,
                          const char *why);
/* What runs with `now` only, what waits at a worker always. */
void sessions_stop_job(struct sessions *control,
                       const struct ledger_job *job,
                       bool now);
void sessions_disconnect_all(struct sessions *control, const char *reason);

#endif
