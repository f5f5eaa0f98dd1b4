/* group_receiver.h - capture groups come in: checked, kept, and answered after the
 * commit */
#ifndef COORDINATOR_SESSIONS_GROUP_RECEIVER_H
#define COORDINATOR_SESSIONS_GROUP_RECEIVER_H

#include "coordinator/ledger/ledger.h"
#include "coordinator/net/outbox.h"

/* -1: the store failed. */
int group_receiver_handle(struct ledger *ledger,
                          struct outbox *outbox,
                          struct link *link,
                          const struct incoming *in,
                          struct err *err);

#endif
