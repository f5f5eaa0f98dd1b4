#include "coordinator/net/outbox.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { WAIT_MS = 10000 };

struct test {
    char folder[64], endpoint[128];
    struct link_hub *hub;
    struct link *server, *clients[2];
    struct peer peers[2];
    struct outbox *outbox;
    struct incoming in;
};

/* Connects a client that sends a message, so that its address is known. */
static void open_client(struct test *test, int i, enum link_kind kind)
{
    const struct link_options options = {.kind = kind, .endpoint = test->endpoint};
    struct err err;

    link_close(test->clients[i]);
    assert_int_equal(link_client_open(&test->clients[i], test->hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(test->clients[i], WAIT_MS, &err), 0);
    assert_int_equal(link_send(test->clients[i], NULL, MSG_HEARTBEAT,
                               &(struct msg_heartbeat){0}, &err),
                     0);
    assert_int_equal(link_wait_receive(test->server, &test->in, WAIT_MS, &err), 0);
    test->peers[i] = test->in.peer;
}

static int set_up(void **ctx)
{
    struct test *test = xcalloc(1, sizeof(*test));
    struct link_options options = {.kind = LINK_CONTROL};
    struct err err;

    strcpy(test->folder, "/tmp/muster-outbox-XXXXXX");
    assert_non_null(mkdtemp(test->folder));
    snprintf(test->endpoint, sizeof(test->endpoint), "ipc://%s/control", test->folder);
    options.endpoint = test->endpoint;
    test->hub = link_hub_create();
    assert_int_equal(link_server_open(&test->server, test->hub, &options, &err), 0);
    for (int i = 0; i < 2; i++)
        open_client(test, i, LINK_CONTROL);
    test->outbox = outbox_create();
    *ctx = test;
    return 0;
}

static int tear_down(void **ctx)
{
    struct test *test = *ctx;
    struct err err;

    outbox_destroy(test->outbox);
    for (int i = 0; i < 2; i++)
        link_close(test->clients[i]);
    link_close(test->server);
    link_hub_destroy(test->hub);
    folder_remove(test->folder, &err);
    free(test);
    return 0;
}

static void queue_message(struct test *test, int to, uint64_t number)
{
    outbox_send(test->outbox, test->server, &test->peers[to], MSG_HEARTBEAT_REPLY,
                &(struct msg_heartbeat_reply){number});
}

static void assert_receives(struct test *test, int client, uint64_t number)
{
    struct err err;

    if (link_wait_receive(test->clients[client], &test->in, WAIT_MS, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(test->in.kind->type, MSG_HEARTBEAT_REPLY);
    assert_int_equal(test->in.message.heartbeat_reply.run_id, number);
}

static void assert_is_refused(struct test *test, int client)
{
    struct err err;

    if (link_wait_receive(test->clients[client], &test->in, WAIT_MS, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(test->in.kind->type, MSG_REFUSED);
    assert_string_equal(test->in.message.refused.code, "limit");
}

static void no_message_is_sent_before_the_flush(void **ctx)
{
    struct test *test = *ctx;
    struct err err;

    assert_true(outbox_is_empty(test->outbox));
    queue_message(test, 0, 1);
    assert_false(outbox_is_empty(test->outbox));
    /* a message past the outbox arrives first */
    assert_int_equal(link_send(test->server, &test->peers[0], MSG_HEARTBEAT_REPLY,
                               &(struct msg_heartbeat_reply){0}, &err),
                     0);
    assert_receives(test, 0, 0);
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    assert_true(outbox_is_empty(test->outbox));
    assert_receives(test, 0, 1);
}

static void messages_without_hurry_are_sent_with_the_next_flush(void **ctx)
{
    struct test *test = *ctx;

    outbox_send_with_next_commit(test->outbox, test->server, &test->peers[0],
                                 MSG_HEARTBEAT_REPLY, &(struct msg_heartbeat_reply){1});
    assert_false(outbox_is_empty(test->outbox));
    assert_false(outbox_is_urgent(test->outbox));
    queue_message(test, 0, 2);
    assert_true(outbox_is_urgent(test->outbox));
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    assert_false(outbox_is_urgent(test->outbox));
    assert_receives(test, 0, 1);
    assert_receives(test, 0, 2);
}

static void each_peer_gets_its_messages_in_order(void **ctx)
{
    struct test *test = *ctx;

    for (uint64_t i = 0; i < 20; i++)
        queue_message(test, i % 2, i);
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    for (uint64_t i = 0; i < 20; i++)
        assert_receives(test, i % 2, i);
}

static void a_peer_that_has_left_delays_no_other_peer(void **ctx)
{
    struct test *test = *ctx;
    struct peer absent = {.size = 3, .bytes = "old"};

    outbox_send(test->outbox, test->server, &absent, MSG_HEARTBEAT_REPLY,
                &(struct msg_heartbeat_reply){7});
    queue_message(test, 1, 8);
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    assert_true(outbox_is_empty(test->outbox));
    assert_receives(test, 1, 8);
}

static void a_message_is_packed_when_it_is_queued(void **ctx)
{
    struct test *test = *ctx;
    struct msg_heartbeat_reply reply = {5};

    outbox_send(test->outbox, test->server, &test->peers[0], MSG_HEARTBEAT_REPLY,
                &reply);
    reply.run_id = 6;
    outbox_flush(test->outbox);
    assert_receives(test, 0, 5);
}

/* Queues far more than the connection to a peer holds that does not read. */
static void a_peer_that_does_not_read_loses_nothing_and_delays_no_other(void **ctx)
{
    enum { MANY = 200000 };
    struct test *test = *ctx;
    uint64_t received = 0;

    for (uint64_t i = 0; i < MANY; i++)
        queue_message(test, 0, i);
    queue_message(test, 1, 9);
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_MOVING);
    assert_receives(test, 1, 9);
    while (received < MANY) {
        outbox_flush(test->outbox);
        assert_receives(test, 0, received++);
    }
    assert_true(outbox_is_empty(test->outbox));
}

/* The connection has room for few messages, and the peer does not read: ZeroMQ gets the
 * window and one message, however many follow. */
static void zeromq_holds_a_window_of_bytes_for_a_peer_that_does_not_read(void **ctx)
{
    enum { MANY = 500, BYTES = 64 << 10, LATER = 100 };
    static uint8_t piece[BYTES];
    struct test *test = *ctx;
    const struct peer *peer;
    size_t most = 0;
    struct err err;

    open_client(test, 0, LINK_DATA);
    peer = &test->peers[0];
    for (uint64_t i = 0; i < MANY; i++) {
        const struct msg_file_piece message = {
            .from = i, .size = BYTES, .data = {piece, BYTES}};

        memset(piece, (int)i, BYTES);
        outbox_send(test->outbox, test->server, peer, MSG_FILE_PIECE, &message);
    }
    for (int i = 0; i < LATER; i++) {
        outbox_flush(test->outbox);
        most = outbox_in_flight(test->outbox, peer) > most
                   ? outbox_in_flight(test->outbox, peer)
                   : most;
        queue_message(test, 1, (uint64_t)i);
        outbox_flush(test->outbox);
        assert_receives(test, 1, (uint64_t)i);
    }
    assert_false(outbox_is_empty(test->outbox));
    assert_in_range(most, OUTBOX_WINDOW, OUTBOX_WINDOW + BYTES + 200);
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_STALLED);
    for (uint64_t i = 0; i < MANY; i++) {
        const struct msg_file_piece *got = &test->in.message.file_piece;

        outbox_flush(test->outbox);
        if (link_wait_receive(test->clients[0], &test->in, WAIT_MS, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(test->in.kind->type, MSG_FILE_PIECE);
        assert_int_equal(got->from, i);
        assert_int_equal(got->data.size, BYTES);
        memset(piece, (int)i, BYTES);
        assert_memory_equal(got->data.data, piece, BYTES);
    }
    while (outbox_in_flight(test->outbox, peer) > 0)
        sched_yield(); /* the thread of ZeroMQ gives the last packet back */
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    assert_true(outbox_is_empty(test->outbox));
}

/* Queues 100 messages of some 20 bytes for each of two connections of one key. */
static void connections_of_a_key_that_do_not_read_lose_the_longest_queue(void **ctx)
{
    const struct outbox_limits limits = {
        .peer_bytes = 1 << 20, .key_bytes = 5000, .all_bytes = 1 << 20};
    struct test *test = *ctx;

    outbox_set_limits(test->outbox, &limits);
    test->peers[0].key = test->peers[1].key = 77;
    for (uint64_t i = 0; i < 60; i++)
        queue_message(test, 1, i);
    for (uint64_t i = 0; i < 300; i++)
        queue_message(test, 0, i);
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    for (uint64_t i = 0; i < 60; i++)
        assert_receives(test, 1, i);
    assert_is_refused(test, 0);
    queue_message(test, 0, 5); /* after the refusal was read the peer gets messages */
    assert_int_equal(outbox_flush(test->outbox), OUTBOX_SENT);
    assert_receives(test, 0, 5);
}

static void the_limits_of_a_peer_and_of_all_cut_the_longest_queue(void **ctx)
{
    const struct outbox_limits one = {
        .peer_bytes = 5000, .key_bytes = 1 << 20, .all_bytes = 1 << 20};
    const struct outbox_limits all = {
        .peer_bytes = 1 << 20, .key_bytes = 4000, .all_bytes = 5000};
    struct test *test = *ctx;

    outbox_set_limits(test->outbox, &one);
    for (uint64_t i = 0; i < 300; i++)
        queue_message(test, 0, i);
    outbox_flush(test->outbox);
    assert_is_refused(test, 0);

    outbox_set_limits(test->outbox, &all);
    queue_message(test, 1, 1);
    for (uint64_t i = 0; i < 300; i++) /* without keys, as on a local socket */
        queue_message(test, 0, i);
    outbox_flush(test->outbox);
    assert_receives(test, 1, 1);
    assert_is_refused(test, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(no_message_is_sent_before_the_flush),
        CASE(messages_without_hurry_are_sent_with_the_next_flush),
        CASE(each_peer_gets_its_messages_in_order),
        CASE(a_peer_that_has_left_delays_no_other_peer),
        CASE(a_message_is_packed_when_it_is_queued),
        CASE(a_peer_that_does_not_read_loses_nothing_and_delays_no_other),
        CASE(zeromq_holds_a_window_of_bytes_for_a_peer_that_does_not_read),
        CASE(connections_of_a_key_that_do_not_read_lose_the_longest_queue),
        CASE(the_limits_of_a_peer_and_of_all_cut_the_longest_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
