/* receiver.h - what comes in at the coordinator's two doors, and which of it first
 *
 * Captures are bulk and may fill their socket for as long as they like. So a turn takes
 * a bounded number of them, and after each one all that has come at the other socket is
 * heard: heartbeats and barriers wait for one group at most. */
#ifndef COORDINATOR_NET_RECEIVER_H
#define COORDINATOR_NET_RECEIVER_H

#include "lib/base/err.h"

struct listener;
struct receiver;
struct incoming;
struct link;
struct outbox;
struct reactor;

struct receiver_options { /* all is borrowed */
    struct reactor *reactor;
    struct listener *door;
    struct outbox *outbox;
    /* -1: the store failed; `failed` is told, and nothing more is heard. */
    int (*hear_control)(const struct incoming *in, void *arg, struct err *err);
    int (*hear_group)(const struct incoming *in,
                      struct link *link,
                      void *arg,
                      struct err *err);
    void (*failed)(const struct err *err, void *arg);
    void *arg;
};

/* Hears from the next turn of the reactor on. */
struct receiver *receiver_create(const struct receiver_options *options);
void receiver_destroy(struct receiver *ears); /* NULL is welcome */

#endif
