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

struct ears {
    struct ears_options options;
    struct link *control, *data;
    bool deaf;
};

static void fail(struct ears *ears, const struct err *err)
{
    ears->deaf = true;
    ears->options.failed(err, ears->options.arg);
}

static void on_control(void *arg)
{
    struct ears *ears = arg;
    const struct ears_options *options = &ears->options;
    enum door_heard heard;
    struct incoming in;
    struct err err;

    for (int i = 0; i < MESSAGES_A_TURN && !ears->deaf; i++) {
        heard = door_receive(options->door, ears->control, options->outbox, &in);
        if (heard == DOOR_NOTHING)
            return;
        if (heard == DOOR_MESSAGE && options->hear_control(&in, options->arg, &err) < 0)
            fail(ears, &err);
    }
    reactor_again(options->reactor);
}

static void on_data(void *arg)
{
    struct ears *ears = arg;
    const struct ears_options *options = &ears->options;
    enum door_heard heard;
    struct incoming in;
    struct err err;

    for (int i = 0; i < GROUPS_A_TURN && !ears->deaf; i++) {
        heard = door_receive(options->door, ears->data, options->outbox, &in);
        if (heard == DOOR_NOTHING)
            return;
        if (heard == DOOR_MESSAGE &&
            options->hear_group(&in, ears->data, options->arg, &err) < 0)
            fail(ears, &err);
        else
            on_control(ears);
    }
    reactor_again(options->reactor);
}

struct ears *ears_create(const struct ears_options *options)
{
    struct ears *ears = xcalloc(1, sizeof(*ears));

    ears->options = *options;
    ears->control = door_control(options->door);
    ears->data = door_data(options->door);
    reactor_on_socket(options->reactor, link_socket(ears->control), on_control, ears);
    reactor_on_socket(options->reactor, link_socket(ears->data), on_data, ears);
    return ears;
}

void ears_destroy(struct ears *ears)
{
    if (!ears)
        return;
    reactor_off_socket(ears->options.reactor, link_socket(ears->control));
    reactor_off_socket(ears->options.reactor, link_socket(ears->data));
    free(ears);
}
