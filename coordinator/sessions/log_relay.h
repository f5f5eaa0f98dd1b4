/* log_relay.h - what an operator printed, fetched from the worker that has it
 *
 * A client asks for a piece, the worker of that rank is asked, its answer goes on to
 * the client. Nothing is kept but who waits for what; whoever got no answer asks again.
 */
#ifndef COORDINATOR_SESSIONS_LOG_RELAY_H
#define COORDINATOR_SESSIONS_LOG_RELAY_H

#include "lib/base/err.h"
#include "lib/wire/link.h"

struct sessions;
struct store;

enum { LOG_RELAY_WAITING = 64 };

struct log_relay {
    struct log_relay_waiter {
        uint64_t ticket; /* 0: nobody */
        struct peer client, worker;
        uint64_t run_id;
        bool ended; /* the task: nothing comes behind this */
    } waiting[LOG_RELAY_WAITING];
    uint64_t tickets;
};

/* -1: the store failed. */
int log_relay_ask(struct sessions *control,
                  struct store *store,
                  const struct peer *client,
                  const struct msg_read_log *question,
                  struct err *err);
void log_relay_handle(struct sessions *control,
                      const struct peer *worker,
                      const struct msg_output *output);

#endif
