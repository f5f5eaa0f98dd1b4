#include "coordinator/net/receiver.h"

#include <stdbool.h>
#include <stdlib.h>

#include "coordinator/net/listener.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"

enum {
    MESSAGES_A_TURN = 256,
    GROUPS_A_TURN = 32, /* of up to 1 MiB, until the next commit */
};

struct receiver {
    struct receiver_options options;
    struct link *control, *data;
    bool deaf;
};

static void fail(struct receiver *ears, const struct err *err)
{
    ears->deaf = true;
    ears->options.failed(err, ears->options.arg);
}

static void on_control(void *arg)
{
    struct receiver *ears = arg;
    const struct receiver_options *options = &ears->options;
    enum listener_heard heard;
    struct incoming in;
    struct err err;

    for (int i = 0; i < MESSAGES_A_TURN && !ears->deaf; i++) {
        heard = listener_receive(options->door, ears->control, options->outbox, &in);
        if (heard == LISTENER_NOTHING)
            return;
        if (heard == LISTENER_MESSAGE &&
            options->hear_control(&in, options->arg, &err) < 0)
            fail(ears, &err);
    }
    reactor_again(options->reactor);
}

static void on_data(void *arg)
{
    struct receiver *ears = arg;
    const struct receiver_options *options = &ears->options;
    enum listener_heard heard;
    struct incoming in;
    struct err err;

    for (int i = 0; i < GROUPS_A_TURN && !ears->deaf; i++) {
        heard = listener_receive(options->door, ears->data, options->outbox, &in);
        if (heard == LISTENER_NOTHING)
            return;
        if (heard == LISTENER_MESSAGE &&
            options->hear_group(&in, ears->data, options->arg, &err) < 0)
            fail(ears, &err);
        else
            on_control(ears);
    }
    reactor_again(options->reactor);
}

struct receiver *receiver_create(const struct receiver_options *options)
{
    struct receiver *ears = xcalloc(1, sizeof(*ears));

    ears->options = *options;
    ears->control = listener_control(options->door);
    ears->data = listener_data(options->door);
    reactor_on_socket(options->reactor, link_socket(ears->control), on_control, ears);
    reactor_on_socket(options->reactor, link_socket(ears->data), on_data, ears);
    return ears;
}

void receiver_destroy(struct receiver *ears)
{
    if (!ears)
        return;
    reactor_off_socket(ears->options.reactor, link_socket(ears->control));
    reactor_off_socket(ears->options.reactor, link_socket(ears->data));
    free(ears);
}
