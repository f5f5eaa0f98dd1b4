#include "coordinator/clients/client_reply.h"

void client_reply_send(struct client_requests *clients,
                       const struct peer *peer,
                       enum message_type type,
                       const void *message)
{
    outbox_send(clients->outbox, clients->link, peer, type, message);
}

void client_reply_refuse(struct client_requests *clients,
                         const struct peer *peer,
                         enum err_code code,
                         const char *text)
{
    const struct msg_refused refused = {refusal_word(code), text};

    client_reply_send(clients, peer, MSG_REFUSED, &refused);
}

int client_reply_refuse_or_fail(struct client_requests *clients,
                                const struct peer *peer,
                                const struct err *err)
{
    if (err->code == ERR_STORE || err->code == ERR_SYSTEM || err->code == ERR_INTERNAL)
        return -1;
    client_reply_refuse(clients, peer, err->code, err->text);
    return 0;
}

void client_reply_row(enum message_type type, const void *row, void *arg)
{
    struct client_reply *answer = arg;

    answer->count++;
    client_reply_send(answer->clients, answer->peer, type, row);
}

void client_reply_end(const struct client_reply *answer)
{
    const struct msg_end end = {answer->count};

    client_reply_send(answer->clients, answer->peer, MSG_END, &end);
}
