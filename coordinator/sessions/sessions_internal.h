/* sessions_internal.h - between the files of control: control.c hears, arrivals.c takes
 * who comes, and control_orders.c is what both tell */
#ifndef COORDINATOR_SESSIONS_SESSIONS_INTERNAL_H
#define COORDINATOR_SESSIONS_SESSIONS_INTERNAL_H

#include "coordinator/sessions/worker_sessions.h"

void sessions_send(struct sessions *control,
                   const struct worker *worker,
                   enum message_type type,
                   const void *message);
void sessions_send_stop(struct sessions *control,
                        const struct worker *worker,
                        uint64_t run_id,
                        uint64_t number,
                        const char *why);
/* When it is at a worker and has not ended. */
void sessions_stop_rank(struct sessions *control,
                        const struct attempt_rank *rank,
                        const char *why);
/* The process is over, and nobody else tells those who lent it their cards. */
void sessions_release_lent_cards(struct sessions *control,
                                 const struct attempt *attempt);
int sessions_mark_rank_lost(struct sessions *control,
                            struct attempt_rank *rank,
                            const char *reason,
                            struct err *err);
void sessions_remove_worker(struct sessions *control, struct worker *worker);

#endif
