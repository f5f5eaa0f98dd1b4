/* log_relay.h - what an operator printed, fetched from the worker that has it
 *
 * A client asks for a piece, the worker of that rank is asked, its answer goes on to
 * the client. Nothing is kept but who waits for what; whoever got no answer asks again.
 */
#ifndef COORDINATOR_SESSIONS_LOG_RELAY_H
#define COORDINATOR_SESSIONS_LOG_RELAY_H

#include "lib/base/err.h"
#include "lib/wire/link.h"

struct control;
struct store;

enum { LOGS_WAITING = 64 };

struct logs {
    struct logs_waiter {
        uint64_t ticket; /* 0: nobody */
        struct peer client, worker;
        uint64_t run_id;
        bool ended; /* the task: nothing comes behind this */
    } waiting[LOGS_WAITING];
    uint64_t tickets;
};

/* -1: the store failed. */
int logs_ask(struct control *control,
             struct store *store,
             const struct peer *client,
             const struct msg_read_log *question,
             struct err *err);
void logs_hear(struct control *control,
               const struct peer *worker,
               const struct msg_output *output);

#endif
