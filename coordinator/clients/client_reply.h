/* client_reply.h - replies to the request of a client, through the outbox */
#ifndef COORDINATOR_CLIENTS_CLIENT_REPLY_H
#define COORDINATOR_CLIENTS_CLIENT_REPLY_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct link;
struct outbox;
struct peer;

struct client_reply {
    struct outbox *outbox;
    struct link *link;
    const struct peer *peer;
    uint64_t row_count;
};

void client_reply_send(struct client_reply *reply,
                       enum message_type type,
                       const void *message);
void client_reply_ok(struct client_reply *reply, const char *text);
void client_reply_refuse(struct client_reply *reply,
                         enum err_code code,
                         const char *text);
/* Refuses the request and returns 0. Returns -1 when `err` is a failure of the store or
 * of the coordinator itself. */
int client_reply_refuse_or_fail(struct client_reply *reply, const struct err *err);

/* Sends a row of a list; a row_fn of lib/query/store_rows.h whose `arg` is the reply.
 */
void client_reply_row(enum message_type type, const void *row, void *arg);
/* Ends a list of rows. */
void client_reply_end(struct client_reply *reply);

#endif
