/* receiver.h - reads the control socket and the data socket in turns
 *
 * Capture groups can fill the data socket for any length of time. A turn therefore
 * reads a bounded number of groups, and reads all control messages after each group: a
 * heartbeat or a barrier message waits for one group at most. */
#ifndef COORDINATOR_NET_RECEIVER_H
#define COORDINATOR_NET_RECEIVER_H

#include "lib/base/err.h"

struct incoming;
struct link;
struct listener;
struct outbox;
struct reactor;
struct receiver;

struct receiver_options { /* all pointers are borrowed */
    struct reactor *reactor;
    struct listener *listener;
    struct outbox *outbox;
    /* Both return -1 when the store failed. The receiver then calls `failed` and reads
     * nothing more. */
    int (*handle_control)(const struct incoming *in, void *arg, struct err *err);
    int (*handle_group)(const struct incoming *in,
                        struct link *link,
                        void *arg,
                        struct err *err);
    void (*failed)(const struct err *err, void *arg);
    void *arg;
};

/* Starts to read in the next turn of the reactor. */
struct receiver *receiver_create(const struct receiver_options *options);
void receiver_destroy(struct receiver *receiver); /* NULL is allowed */

#endif
