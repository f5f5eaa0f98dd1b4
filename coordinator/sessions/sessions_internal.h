/* sessions_internal.h - struct sessions and the functions that the files of this folder
 * share */
#ifndef COORDINATOR_SESSIONS_SESSIONS_INTERNAL_H
#define COORDINATOR_SESSIONS_SESSIONS_INTERNAL_H

#include "coordinator/barrier/barrier.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/net/outbox.h"
#include "coordinator/sessions/worker_sessions.h"

enum { LOG_REQUESTS_MAX = 64 };

struct log_request { /* of a client, waiting for the reply of a worker */
    uint64_t ticket; /* 0: unused */
    struct peer client, worker;
    uint64_t run_id;
    bool task_ended; /* no more output follows this piece */
};

struct sessions {
    struct ledger *ledger;
    struct fleet *fleet;
    struct outbox *outbox;
    struct link *link;
    const char *store_id;
    struct barriers *barriers; /* of gangs on several hosts */
    uint64_t ticked_ms;        /* time of the latest sessions_tick(); 0: none yet */
    struct log_request log_requests[LOG_REQUESTS_MAX];
    uint64_t log_tickets; /* number of log requests so far */
};

/* worker_orders.c: messages to workers */
void sessions_send(struct sessions *sessions,
                   const struct worker *worker,
                   enum message_type type,
                   const void *message);
void sessions_send_lease(struct sessions *sessions, struct attempt_rank *rank);
void sessions_send_stop(struct sessions *sessions,
                        const struct worker *worker,
                        uint64_t run_id,
                        uint64_t rank,
                        const char *reason);
/* Stops a rank that a worker has and that has not ended. */
void sessions_stop_rank(struct sessions *sessions,
                        const struct attempt_rank *rank,
                        const char *reason);
/* Stops the ranks of a threads job that only lend their cards to rank 0. */
void sessions_release_lent_cards(struct sessions *sessions,
                                 const struct attempt *attempt);
/* May free the attempt of the rank. */
int sessions_mark_rank_lost(struct sessions *sessions,
                            struct attempt_rank *rank,
                            const char *reason,
                            struct err *err);
/* Frees a worker that has no ranks. */
void sessions_remove_worker(struct sessions *sessions, struct worker *worker);

/* worker_hello.c: handles the hello of a new worker or of one that reconnects. Its held
 * ranks that still count stay with it, those that it does not hold are lost, and leases
 * that its last connection had are sent again. */
int worker_hello_handle(struct sessions *sessions,
                        const struct incoming *in,
                        struct err *err);

/* barrier_relay.c: handles barrier_arrive, barrier_abort and clock_ping. */
void barrier_relay_handle(struct sessions *sessions,
                          const struct worker *worker,
                          const struct incoming *in);
/* For barriers_create(); `arg` is the struct sessions. */
barrier_fn barrier_relay_release;

/* log_relay.c: sends a worker's reply to the client that waits for it. */
void log_relay_handle(struct sessions *sessions,
                      const struct peer *worker,
                      const struct msg_output *output);

#endif
