/* outbox.h - replies, sent only after the commit that makes them true
 *
 * outbox_send() packs a message and queues it. outbox_flush(), called after the commit,
 * sends the messages of each peer in order. Each peer has its own queue, so a peer that
 * does not read delays no other peer. The bytes that wait are limited for each peer,
 * for all connections with the same key, and in total; when a limit is exceeded, the
 * longest queue is replaced by a refusal. ZeroMQ holds at most 1000 messages of
 * a peer: OUTBOX_WINDOW bytes and one message of those above OUTBOX_SMALL bytes. The
 * others wait here, under the limits. */
#ifndef COORDINATOR_NET_OUTBOX_H
#define COORDINATOR_NET_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/wire/link.h"

struct outbox;

enum { OUTBOX_WINDOW = 256 << 10, OUTBOX_SMALL = 512 };

struct outbox_limits {
    size_t peer_bytes, key_bytes, all_bytes;
};

struct outbox *outbox_create(void);
/* Replaces the default limits, for tests. */
void outbox_set_limits(struct outbox *outbox, const struct outbox_limits *limits);
void outbox_destroy(struct outbox *outbox); /* NULL is allowed */

/* Packs the message at once. Borrows the link until the flush. */
void outbox_send(struct outbox *outbox,
                 struct link *link,
                 const struct peer *to,
                 enum message_type type,
                 const void *message);
/* Queues a message that may wait for the next commit; it does not cause one. */
void outbox_send_with_next_commit(struct outbox *outbox,
                                  struct link *link,
                                  const struct peer *to,
                                  enum message_type type,
                                  const void *message);
bool outbox_is_empty(const struct outbox *outbox);
/* Returns true when a message of outbox_send() waits. */
bool outbox_is_urgent(const struct outbox *outbox);
enum outbox_rest {
    OUTBOX_SENT,    /* everything */
    OUTBOX_MOVING,  /* a peer took a part of its messages: call it again soon */
    OUTBOX_STALLED, /* the peers with waiting messages do not read: call it later */
};
enum outbox_rest outbox_flush(struct outbox *outbox);
/* Returns the bytes that ZeroMQ holds of the larger messages to the peer. */
size_t outbox_in_flight(const struct outbox *outbox, const struct peer *peer);

#endif
