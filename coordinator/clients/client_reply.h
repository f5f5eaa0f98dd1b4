/* client_reply.h - what people are told who asked */
#ifndef COORDINATOR_CLIENTS_CLIENT_REPLY_H
#define COORDINATOR_CLIENTS_CLIENT_REPLY_H

#include "coordinator/clients/client_requests.h"

struct answer { /* rows on their way to whoever asked */
    struct clients *clients;
    const struct peer *peer;
    uint64_t count;
};

void answer_say(struct clients *clients,
                const struct peer *peer,
                enum message_type type,
                const void *message);
void answer_refuse(struct clients *clients,
                   const struct peer *peer,
                   enum err_code code,
                   const char *text);
/* 0 when the client was refused, for what is not the store's failure. */
int answer_refuse_or_fail(struct clients *clients,
                          const struct peer *peer,
                          const struct err *err);

/* A row of a list, as rows.h hands it out (`arg`: the struct answer), and its end. */
void answer_row(enum message_type type, const void *row, void *arg);
void answer_end(const struct answer *answer);

#endif
