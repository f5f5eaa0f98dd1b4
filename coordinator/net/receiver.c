#include "coordinator/net/receiver.h"

#include <stdbool.h>
#include <stdlib.h>

#include "coordinator/net/listener.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"

enum {
    MESSAGES_PER_TURN = 256,
    GROUPS_PER_TURN = 32, /* up to 1 MiB each, held until the next commit */
};

struct receiver {
    struct receiver_options options;
    struct link *control, *data;
    bool stopped; /* after a store error */
};

static void stop(struct receiver *receiver, const struct err *err)
{
    receiver->stopped = true;
    receiver->options.failed(err, receiver->options.arg);
}

static void on_control(void *arg)
{
    struct receiver *receiver = arg;
    const struct receiver_options *options = &receiver->options;
    enum listener_result result;
    struct incoming in;
    struct err err;

    for (int i = 0; i < MESSAGES_PER_TURN && !receiver->stopped; i++) {
        result = listener_receive(options->listener, receiver->control, options->outbox,
                                  &in);
        if (result == LISTENER_EMPTY)
            return;
        if (result == LISTENER_MESSAGE &&
            options->handle_control(&in, options->arg, &err) < 0)
            stop(receiver, &err);
    }
    reactor_again(options->reactor);
}

static void on_data(void *arg)
{
    struct receiver *receiver = arg;
    const struct receiver_options *options = &receiver->options;
    enum listener_result result;
    struct incoming in;
    struct err err;

    for (int i = 0; i < GROUPS_PER_TURN && !receiver->stopped; i++) {
        result =
            listener_receive(options->listener, receiver->data, options->outbox, &in);
        if (result == LISTENER_EMPTY)
            return;
        if (result == LISTENER_MESSAGE &&
            options->handle_group(&in, receiver->data, options->arg, &err) < 0)
            stop(receiver, &err);
        else
            on_control(receiver);
    }
    reactor_again(options->reactor);
}

struct receiver *receiver_create(const struct receiver_options *options)
{
    struct receiver *receiver = xcalloc(1, sizeof(*receiver));

    receiver->options = *options;
    receiver->control = listener_control(options->listener);
    receiver->data = listener_data(options->listener);
    reactor_on_socket(options->reactor, link_socket(receiver->control), on_control,
                      receiver);
    reactor_on_socket(options->reactor, link_socket(receiver->data), on_data, receiver);
    return receiver;
}

void receiver_destroy(struct receiver *receiver)
{
    if (!receiver)
        return;
    reactor_off_socket(receiver->options.reactor, link_socket(receiver->control));
    reactor_off_socket(receiver->options.reactor, link_socket(receiver->data));
    free(receiver);
}
