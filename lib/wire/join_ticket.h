/* join_ticket.h - all that a worker needs to come home, in one variable of its
 * environment
 *
 * For workers that a cluster starts: they have no key file. It is taken out of the
 * environment as it is read, so that no operator inherits it. */
#ifndef LIB_WIRE_JOIN_TICKET_H
#define LIB_WIRE_JOIN_TICKET_H

#include "lib/base/err.h"

#define JOIN_TICKET_VARIABLE "MUSTER_TICKET"

struct join_ticket {
    const char *control, *data; /* endpoints */
    const char *server;         /* its public key */
    const char *secret;         /* ours */
};

/* "MUSTER_TICKET=..."; free() it. */
char *join_ticket_variable(const struct join_ticket *ticket);
/* The texts stay for as long as the program. ERR_NOT_FOUND: there is none. */
int join_ticket_take(struct join_ticket *ticket, struct err *err);

#endif
