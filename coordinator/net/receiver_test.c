#include "coordinator/net/receiver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "coordinator/net/listener.h"
#include "coordinator/net/outbox.h"
#include "lib/base/file.h"
#include "lib/base/reactor.h"
#include "lib/wire/link.h"
#include "tests/support/unit.h"

enum { GROUPS = 4, WAIT_MS = 20000 };

static struct fixture {
    char folder[64];
    struct reactor *reactor;
    struct listener *listener;
    struct outbox *outbox;
    struct receiver *receiver;
    struct link_hub *client_hub;
    struct link *client_control, *client_data;
    char
        order[64]; /* g: a group, c: a control message; in the order of their arrival */
    size_t order_length;
    bool store_fails, failed;
} fixture;

static void on_failed(const struct err *err, void *arg)
{
    (void)err;
    (void)arg;
    fixture.failed = true;
    reactor_stop(fixture.reactor);
}

static void on_refused(const char *kind, const char *peer, void *arg)
{
    (void)arg;
    fail_msg("refused: %s %s", kind, peer);
}

static void send_message(struct link *link, enum message_type type, const void *message)
{
    struct err err;

    assert_int_equal(link_send(link, NULL, type, message, &err), 0);
}

static void wait_until_readable(struct link *link)
{
    zmq_pollitem_t item = {.socket = link_socket(link), .events = ZMQ_POLLIN};

    assert_int_equal(zmq_poll(&item, 1, WAIT_MS), 1);
}

static int record_arrival(char what, struct err *err)
{
    assert_true(fixture.order_length < sizeof(fixture.order) - 1);
    fixture.order[fixture.order_length++] = what;
    if (fixture.store_fails)
        return err_set(err, ERR_STORE, "the disk is full");
    if (fixture.order_length == 2 * GROUPS)
        reactor_stop(fixture.reactor);
    return 0;
}

static int handle_control(const struct incoming *in, void *arg, struct err *err)
{
    (void)arg;
    assert_int_equal(in->kind->type, MSG_HEARTBEAT);
    return record_arrival('c', err);
}

/* Sends a heartbeat while the receiver handles a group, when the next group has already
 * arrived. */
static int
handle_group(const struct incoming *in, struct link *link, void *arg, struct err *err)
{
    (void)arg;
    assert_int_equal(in->kind->type, MSG_GROUP);
    assert_ptr_equal(link, listener_data(fixture.listener));
    send_message(fixture.client_control, MSG_HEARTBEAT,
                 &(struct msg_heartbeat){.run_id = 1});
    wait_until_readable(listener_control(fixture.listener));
    return record_arrival('g', err);
}

static struct link *connect_to(const char *endpoint, enum link_kind kind)
{
    const struct link_options options = {.endpoint = endpoint, .kind = kind};
    struct link *link;
    struct err err;

    assert_int_equal(link_client_open(&link, fixture.client_hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(link, WAIT_MS, &err), 0);
    return link;
}

static int set_up(void **ctx)
{
    char control[96], data[96];
    const struct listener_options options = {.control = control, .data = data};
    struct err err;

    (void)ctx;
    fixture = (struct fixture){.folder = "/tmp/muster-receiver-XXXXXX"};
    assert_non_null(mkdtemp(fixture.folder));
    snprintf(control, sizeof(control), "ipc://%s/control", fixture.folder);
    snprintf(data, sizeof(data), "ipc://%s/data", fixture.folder);
    fixture.reactor = reactor_create();
    fixture.outbox = outbox_create();
    if (listener_open(&fixture.listener, fixture.reactor, &options, on_refused, NULL,
                      &err) < 0)
        fail_msg("%s", err.text);
    fixture.receiver =
        receiver_create(&(struct receiver_options){.reactor = fixture.reactor,
                                                   .listener = fixture.listener,
                                                   .outbox = fixture.outbox,
                                                   .handle_control = handle_control,
                                                   .handle_group = handle_group,
                                                   .failed = on_failed});
    fixture.client_hub = link_hub_create();
    fixture.client_control = connect_to(control, LINK_CONTROL);
    fixture.client_data = connect_to(data, LINK_DATA);
    return 0;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    link_close(fixture.client_control);
    link_close(fixture.client_data);
    link_hub_destroy(fixture.client_hub);
    receiver_destroy(fixture.receiver);
    outbox_destroy(fixture.outbox);
    listener_close(fixture.listener);
    reactor_destroy(fixture.reactor);
    return folder_remove(fixture.folder, &err);
}

static void send_groups(void)
{
    static char bulk[64 * 1024];
    const struct msg_group group = {.run_id = 1, .data = {bulk, sizeof(bulk)}};
    struct err err;

    for (int i = 0; i < GROUPS; i++)
        send_message(fixture.client_data, MSG_GROUP, &group);
    assert_int_equal(reactor_run(fixture.reactor, &err), 0);
}

static void a_control_message_waits_for_at_most_one_group(void **ctx)
{
    (void)ctx;
    send_groups();
    assert_string_equal(fixture.order, "gcgcgcgc");
}

static void the_receiver_reads_nothing_after_a_store_error(void **ctx)
{
    (void)ctx;
    fixture.store_fails = true;
    send_groups();
    assert_true(fixture.failed);
    assert_string_equal(fixture.order, "g");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_control_message_waits_for_at_most_one_group),
        CASE(the_receiver_reads_nothing_after_a_store_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
