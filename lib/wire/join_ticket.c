#include "lib/wire/join_ticket.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

char *join_ticket_variable(const struct join_ticket *ticket)
{
    return xasprintf(JOIN_TICKET_VARIABLE "=%s %s %s %s", ticket->control, ticket->data,
                     ticket->server, ticket->secret);
}

int join_ticket_take(struct join_ticket *ticket, struct err *err)
{
    static char *kept;
    const char **const parts[] = {&ticket->control, &ticket->data, &ticket->server,
                                  &ticket->secret};
    const char *variable = getenv(JOIN_TICKET_VARIABLE);
    char *rest;

    if (!variable)
        return err_set(err, ERR_NOT_FOUND, JOIN_TICKET_VARIABLE " is not set");
    free(kept);
    rest = kept = xstrdup(variable);
    explicit_bzero((char *)variable, strlen(variable));
    unsetenv(JOIN_TICKET_VARIABLE);
    for (size_t i = 0; i < COUNT(parts); i++) {
        *parts[i] = strsep(&rest, " ");
        if (!*parts[i] || !**parts[i])
            return err_set(err, ERR_INPUT,
                           JOIN_TICKET_VARIABLE
                           " lacks part %zu of 4: control endpoint, data "
                           "endpoint, server key, secret key",
                           i + 1);
    }
    if (rest)
        return err_set(err, ERR_INPUT,
                       JOIN_TICKET_VARIABLE " has more than four parts");
    return 0;
}
