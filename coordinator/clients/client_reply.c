#include "coordinator/clients/client_reply.h"

#include "coordinator/net/outbox.h"
#include "lib/base/mem.h"

void client_reply_send(struct client_reply *reply,
                       enum message_type type,
                       const void *message)
{
    outbox_send(reply->outbox, reply->link, reply->peer, type, message);
}

void client_reply_ok(struct client_reply *reply, const char *text)
{
    client_reply_send(reply, MSG_OK, &(struct msg_ok){.text = text});
}

void client_reply_refuse(struct client_reply *reply,
                         enum err_code code,
                         const char *text)
{
    const struct msg_refused refused = {refusal_word(code), text};

    client_reply_send(reply, MSG_REFUSED, &refused);
}

int client_reply_refuse_or_fail(struct client_reply *reply, const struct err *err)
{
    static const enum err_code fatal[] = {ERR_STORE, ERR_SYSTEM, ERR_NO_SPACE,
                                          ERR_NO_RESOURCE, ERR_INTERNAL};

    for (size_t i = 0; i < COUNT(fatal); i++)
        if (err->code == fatal[i])
            return -1;
    client_reply_refuse(reply, err->code, err->text);
    return 0;
}

void client_reply_row(enum message_type type, const void *row, void *arg)
{
    struct client_reply *reply = arg;

    reply->row_count++;
    client_reply_send(reply, type, row);
}

void client_reply_end(struct client_reply *reply)
{
    client_reply_send(reply, MSG_END, &(struct msg_end){reply->row_count});
}
