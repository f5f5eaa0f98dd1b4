/* outbox.h - answers that wait until what they say is on disk
 *
 * outbox_send() packs and keeps; outbox_flush(), after the commit, lets them leave in
 * order. A peer that does not read has a bounded lane of its own and stops nobody. */
#ifndef COORDINATOR_NET_OUTBOX_H
#define COORDINATOR_NET_OUTBOX_H

#include <stdbool.h>

#include "lib/wire/link.h"

struct outbox;

struct outbox *outbox_create(void);
void outbox_destroy(struct outbox *outbox); /* NULL is welcome */

/* Packed at once; borrows the link. */
void outbox_send(struct outbox *outbox,
                 struct link *link,
                 const struct peer *to,
                 enum message_type type,
                 const void *message);
/* The same, of what nobody waits for yet: it goes with what comes next. */
void outbox_send_with_next_commit(struct outbox *outbox,
                                  struct link *link,
                                  const struct peer *to,
                                  enum message_type type,
                                  const void *message);
bool outbox_is_empty(const struct outbox *outbox);
/* Somebody waits for something of it. */
bool outbox_is_urgent(const struct outbox *outbox);
/* True when something must be tried again later. */
bool outbox_flush(struct outbox *outbox);

#endif
