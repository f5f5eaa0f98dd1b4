#include "coordinator/net/receiver.h"

#include <zmq.h>

#include "coordinator/net/listener.h"
#include "coordinator/net/outbox.h"
#include "lib/base/reactor.h"
#include "lib/wire/link.h"
#include "tests/support/coordinator_ground.h"

enum { GROUPS = 4, PATIENCE_MS = 20000 };

static struct hall {
    struct ground *ground;
    struct reactor *reactor;
    struct listener *door;
    struct outbox *outbox;
    struct receiver *ears;
    struct link_hub *hub;
    struct link *control, *data; /* of who calls */
    char heard[64];              /* g: a group, c: a word; in their order */
    size_t heard_count;
    bool store_fails, failed;
} hall;

static void on_failed(const struct err *err, void *arg)
{
    (void)err;
    (void)arg;
    hall.failed = true;
    reactor_stop(hall.reactor);
}

static void say(struct link *link, enum message_type type, const void *message)
{
    struct err err;

    assert_int_equal(link_send(link, NULL, type, message, &err), 0);
}

static void wait_until_there(struct link *link)
{
    zmq_pollitem_t item = {.socket = link_socket(link), .events = ZMQ_POLLIN};

    assert_int_equal(zmq_poll(&item, 1, PATIENCE_MS), 1);
}

static int hear(char what, struct err *err)
{
    assert_true(hall.heard_count < sizeof(hall.heard) - 1);
    hall.heard[hall.heard_count++] = what;
    if (hall.store_fails)
        return err_set(err, ERR_STORE, "the disk is full");
    if (hall.heard_count == 2 * GROUPS)
        reactor_stop(hall.reactor);
    return 0;
}

static int hear_control(const struct incoming *in, void *arg, struct err *err)
{
    (void)arg;
    assert_int_equal(in->kind->type, MSG_HEARTBEAT);
    return hear('c', err);
}

static int
hear_group(const struct incoming *in, struct link *link, void *arg, struct err *err)
{
    (void)arg;
    assert_int_equal(in->kind->type, MSG_GROUP);
    assert_ptr_equal(link, listener_data(hall.door));
    say(hall.control, MSG_HEARTBEAT, &(struct msg_heartbeat){.run_id = 1});
    wait_until_there(listener_control(hall.door));
    return hear('g', err);
}

static struct link *call(const char *endpoint, enum link_kind kind)
{
    const struct link_options options = {.endpoint = endpoint, .kind = kind};
    struct link *link;
    struct err err;

    assert_int_equal(link_client_open(&link, hall.hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(link, PATIENCE_MS, &err), 0);
    return link;
}

static int up(void **ctx)
{
    char control[96], data[96];
    const struct listener_options options = {.control = control, .data = data};
    struct err err;

    hall = (struct hall){0};
    assert_int_equal(ground_up(ctx), 0);
    hall.ground = *ctx;
    snprintf(control, sizeof(control), "ipc://%s/control", hall.ground->folder);
    snprintf(data, sizeof(data), "ipc://%s/data", hall.ground->folder);
    hall.reactor = reactor_create();
    hall.outbox = outbox_create();
    if (listener_open(&hall.door, hall.reactor, &options, hall.ground->ledger,
                      on_failed, NULL, &err) < 0)
        fail_msg("%s", err.text);
    hall.ears = receiver_create(&(struct receiver_options){.reactor = hall.reactor,
                                                           .door = hall.door,
                                                           .outbox = hall.outbox,
                                                           .hear_control = hear_control,
                                                           .hear_group = hear_group,
                                                           .failed = on_failed});
    hall.hub = link_hub_create();
    hall.control = call(control, LINK_CONTROL);
    hall.data = call(data, LINK_DATA);
    return 0;
}

static int down(void **ctx)
{
    link_close(hall.control);
    link_close(hall.data);
    link_hub_destroy(hall.hub);
    receiver_destroy(hall.ears);
    outbox_destroy(hall.outbox);
    listener_close(hall.door);
    reactor_destroy(hall.reactor);
    return ground_down(ctx);
}

static void say_groups(void)
{
    static char bulk[64 * 1024];
    const struct msg_group group = {.run_id = 1, .data = {bulk, sizeof(bulk)}};
    struct err err;

    for (int i = 0; i < GROUPS; i++)
        say(hall.data, MSG_GROUP, &group);
    assert_int_equal(reactor_run(hall.reactor, &err), 0);
}

/* Each comes while a group is heard, and the next group is there already. */
static void a_word_waits_for_one_group_at_most(void **ctx)
{
    (void)ctx;
    say_groups();
    assert_string_equal(hall.heard, "gcgcgcgc");
}

static void when_the_store_fails_nothing_more_is_heard(void **ctx)
{
    (void)ctx;
    hall.store_fails = true;
    say_groups();
    assert_true(hall.failed);
    assert_string_equal(hall.heard, "g");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_word_waits_for_one_group_at_most),
        CASE(when_the_store_fails_nothing_more_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
