/* join_ticket.h - endpoints and keys of a worker in one environment variable
 *
 * Workers that a cluster starts have no key file. Reading the ticket removes the
 * variable, so that no operator inherits the key. */
#ifndef LIB_WIRE_JOIN_TICKET_H
#define LIB_WIRE_JOIN_TICKET_H

#include "lib/base/err.h"

#define JOIN_TICKET_VARIABLE "MUSTER_TICKET"

struct join_ticket {
    const char *control, *data; /* endpoints */
    const char *server;         /* public key of the coordinator */
    const char *secret;         /* key of the worker */
};

/* Returns "MUSTER_TICKET=..."; the caller frees it. */
char *join_ticket_variable(const struct join_ticket *ticket);
/* The texts are valid until the next call. Returns ERR_NOT_FOUND when the variable is
 * not set. */
int join_ticket_take(struct join_ticket *ticket, struct err *err);

#endif
