/* client_reply.h - what people are told who asked */
#ifndef COORDINATOR_CLIENTS_CLIENT_REPLY_H
#define COORDINATOR_CLIENTS_CLIENT_REPLY_H

#include "coordinator/clients/client_requests.h"

struct client_reply { /* rows on their way to whoever asked */
    struct client_requests *clients;
    const struct peer *peer;
    uint64_t count;
};

void client_reply_send(struct client_requests *clients,
                       const struct peer *peer,
                       enum message_type type,
                       const void *message);
void client_reply_refuse(struct client_requests *clients,
                         const struct peer *peer,
                         enum err_code code,
                         const char *text);
/* 0 when the client was refused, for what is not the store's failure. */
int client_reply_refuse_or_fail(struct client_requests *clients,
                                const struct peer *peer,
                                const struct err *err);

/* A row of a list, as rows.h hands it out (`arg`: the struct client_reply), and its
 * end. */
void client_reply_row(enum message_type type, const void *row, void *arg);
void client_reply_end(const struct client_reply *answer);

#endif
