/* coordinator_link.h - the coordinator, as a worker sees it
 *
 * Says hello until it is welcome, says that it lives, and notices silence, or that the
 * coordinator does not know it: then it says hello again, for ever. What comes is
 * handed to whom it concerns. */
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
    struct msg_worker_hello hello; /* its texts are borrowed for ever */
};

/* What the coordinator says, to whom. */
struct coordinator_link_handlers {
    /* hello is said: the runs that we answer for from now on, at most `room` */
    size_t (*held_runs)(void *arg, uint64_t *run_ids, size_t room);
    /* the run that the card has now; 0: none */
    uint64_t (*running)(void *arg);
    /* welcome again: what was sent before may be lost */
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
                          const struct coordinator_link_handlers *ears,
                          struct err *err);
void coordinator_link_close(struct coordinator_link *home); /* NULL is welcome */

bool coordinator_link_is_welcome(const struct coordinator_link *home);
/* False when it cannot be sent now: say it again later. */
bool coordinator_link_send(struct coordinator_link *home,
                           enum message_type type,
                           const void *message);
bool coordinator_link_send_group(struct coordinator_link *home,
                                 const struct msg_group *group);

#endif
