#include "coordinator/clients/client_reply.h"

void answer_say(struct clients *clients,
                const struct peer *peer,
                enum message_type type,
                const void *message)
{
    outbox_say(clients->outbox, clients->link, peer, type, message);
}

void answer_refuse(struct clients *clients,
                   const struct peer *peer,
                   enum err_code code,
                   const char *text)
{
    const struct msg_refused refused = {refusal_word(code), text};

    answer_say(clients, peer, MSG_REFUSED, &refused);
}

int answer_refuse_or_fail(struct clients *clients,
                          const struct peer *peer,
                          const struct err *err)
{
    if (err->code == ERR_STORE || err->code == ERR_SYSTEM || err->code == ERR_INTERNAL)
        return -1;
    answer_refuse(clients, peer, err->code, err->text);
    return 0;
}

void answer_row(enum message_type type, const void *row, void *arg)
{
    struct answer *answer = arg;

    answer->count++;
    answer_say(answer->clients, answer->peer, type, row);
}

void answer_end(const struct answer *answer)
{
    const struct msg_end end = {answer->count};

    answer_say(answer->clients, answer->peer, MSG_END, &end);
}
