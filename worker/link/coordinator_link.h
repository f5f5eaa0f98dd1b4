/* coordinator_link.h - connection of a worker to the coordinator
 *
 * Sends hello until the coordinator accepts it, and then heartbeats. When the
 * coordinator is silent or reports that the session is unknown, the link sends hello
 * again, without limit. Each received message is passed to one handler. */
#ifndef WORKER_LINK_COORDINATOR_LINK_H
#define WORKER_LINK_COORDINATOR_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct coordinator_link;
struct keys;
struct reactor;

struct coordinator_link_options {
    const char *control, *data; /* endpoints */
    const struct keys *keys;    /* or NULL */
    bool insecure;
    struct msg_worker_hello hello; /* texts are borrowed until the link is closed */
};

/* One handler per message of the coordinator, and two that fill outgoing messages. */
struct coordinator_link_handlers {
    /* Fills in the attempts that hello reports as held; at most `room` of them. */
    size_t (*held_runs)(void *arg, uint64_t *run_ids, size_t room);
    /* Returns the attempt that has the card now, for the heartbeat; 0: none. */
    uint64_t (*running)(void *arg);
    /* The session is new. Messages sent before may be lost and must be sent again. */
    void (*welcome)(void *arg);
    void (*lease)(void *arg, const struct msg_lease *lease);
    void (*stop_rank)(void *arg, const struct msg_stop_rank *stop);
    void (*result_ack)(void *arg, const struct msg_result_ack *ack);
    void (*group_ack)(void *arg, const struct msg_group_ack *ack);
    void (*group_refused)(void *arg, const struct msg_group_refused *refused);
    void (*go_away)(void *arg, const char *reason);
    void (*barrier_release)(void *arg, const struct msg_barrier_release *release);
    void (*clock_pong)(void *arg, const struct msg_clock_pong *pong);
    void (*read_output)(void *arg, const struct msg_read_output *question);
    void *arg;
};

int coordinator_link_open(struct coordinator_link **out,
                          struct reactor *reactor,
                          const struct coordinator_link_options *options,
                          const struct coordinator_link_handlers *handlers,
                          struct err *err);
void coordinator_link_close(struct coordinator_link *coordinator); /* NULL is allowed */

bool coordinator_link_has_session(const struct coordinator_link *coordinator);
/* Both return false when the message cannot be sent now; the caller tries again later.
 */
bool coordinator_link_send(struct coordinator_link *coordinator,
                           enum message_type type,
                           const void *message);
bool coordinator_link_send_group(struct coordinator_link *coordinator,
                                 const struct msg_group *group);

#endif
