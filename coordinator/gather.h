/* gather.h - capture groups come in: checked, kept, and answered after the commit */
#ifndef COORDINATOR_GATHER_H
#define COORDINATOR_GATHER_H

#include "coordinator/ledger.h"
#include "coordinator/outbox.h"

/* -1: the store failed. */
int gather_hear(struct ledger *ledger,
                struct outbox *outbox,
                struct link *link,
                const struct incoming *in,
                struct err *err);

#endif
