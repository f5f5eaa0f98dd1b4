#include "coordinator/net/outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { WAIT_MS = 10000 };

struct post {
    char folder[64];
    struct link_hub *hub;
    struct link *server, *clients[2];
    struct peer peers[2];
    struct outbox *outbox;
    struct incoming in;
};

static int set_up(void **ctx)
{
    struct post *post = xcalloc(1, sizeof(*post));
    struct link_options options = {.kind = LINK_CONTROL};
    char endpoint[128];
    struct err err;

    strcpy(post->folder, "/tmp/muster-outbox-XXXXXX");
    assert_non_null(mkdtemp(post->folder));
    snprintf(endpoint, sizeof(endpoint), "ipc://%s/post", post->folder);
    options.endpoint = endpoint;
    post->hub = link_hub_create();
    assert_int_equal(link_server_open(&post->server, post->hub, &options, &err), 0);
    for (int i = 0; i < 2;
         i++) { /* each sends a message, so that its address is known */
        assert_int_equal(link_client_open(&post->clients[i], post->hub, &options, &err),
                         0);
        assert_int_equal(link_wait_connected(post->clients[i], WAIT_MS, &err), 0);
        assert_int_equal(link_send(post->clients[i], NULL, MSG_HEARTBEAT,
                                   &(struct msg_heartbeat){0}, &err),
                         0);
        assert_int_equal(link_wait_receive(post->server, &post->in, WAIT_MS, &err), 0);
        post->peers[i] = post->in.peer;
    }
    post->outbox = outbox_create();
    *ctx = post;
    return 0;
}

static int tear_down(void **ctx)
{
    struct post *post = *ctx;
    struct err err;

    outbox_destroy(post->outbox);
    for (int i = 0; i < 2; i++)
        link_close(post->clients[i]);
    link_close(post->server);
    link_hub_destroy(post->hub);
    folder_remove(post->folder, &err);
    free(post);
    return 0;
}

static void say(struct post *post, int to, uint64_t number)
{
    outbox_send(post->outbox, post->server, &post->peers[to], MSG_HEARTBEAT_REPLY,
                &(struct msg_heartbeat_reply){number});
}

static void assert_hears(struct post *post, int who, uint64_t number)
{
    struct err err;

    if (link_wait_receive(post->clients[who], &post->in, WAIT_MS, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(post->in.kind->type, MSG_HEARTBEAT_REPLY);
    assert_int_equal(post->in.message.heartbeat_reply.run_id, number);
}

static void no_message_is_sent_before_the_flush(void **ctx)
{
    struct post *post = *ctx;
    struct err err;

    assert_true(outbox_is_empty(post->outbox));
    say(post, 0, 1);
    assert_false(outbox_is_empty(post->outbox));
    /* a message past the outbox arrives first */
    assert_int_equal(link_send(post->server, &post->peers[0], MSG_HEARTBEAT_REPLY,
                               &(struct msg_heartbeat_reply){0}, &err),
                     0);
    assert_hears(post, 0, 0);
    assert_false(outbox_flush(post->outbox));
    assert_true(outbox_is_empty(post->outbox));
    assert_hears(post, 0, 1);
}

static void messages_without_hurry_are_sent_with_the_next_flush(void **ctx)
{
    struct post *post = *ctx;

    outbox_send_with_next_commit(post->outbox, post->server, &post->peers[0],
                                 MSG_HEARTBEAT_REPLY, &(struct msg_heartbeat_reply){1});
    assert_false(outbox_is_empty(post->outbox));
    assert_false(outbox_is_urgent(post->outbox));
    say(post, 0, 2);
    assert_true(outbox_is_urgent(post->outbox));
    assert_false(outbox_flush(post->outbox));
    assert_false(outbox_is_urgent(post->outbox));
    assert_hears(post, 0, 1);
    assert_hears(post, 0, 2);
}

static void each_peer_gets_its_messages_in_order(void **ctx)
{
    struct post *post = *ctx;

    for (uint64_t i = 0; i < 20; i++)
        say(post, i % 2, i);
    assert_false(outbox_flush(post->outbox));
    for (uint64_t i = 0; i < 20; i++)
        assert_hears(post, i % 2, i);
}

static void a_peer_that_has_left_delays_no_other_peer(void **ctx)
{
    struct post *post = *ctx;
    struct peer nobody = {.size = 3, .bytes = "who"};

    outbox_send(post->outbox, post->server, &nobody, MSG_HEARTBEAT_REPLY,
                &(struct msg_heartbeat_reply){7});
    say(post, 1, 8);
    assert_false(outbox_flush(post->outbox));
    assert_true(outbox_is_empty(post->outbox));
    assert_hears(post, 1, 8);
}

static void a_message_is_packed_when_it_is_queued(void **ctx)
{
    struct post *post = *ctx;
    struct msg_heartbeat_reply reply = {5};

    outbox_send(post->outbox, post->server, &post->peers[0], MSG_HEARTBEAT_REPLY,
                &reply);
    reply.run_id = 6;
    outbox_flush(post->outbox);
    assert_hears(post, 0, 5);
}

/* Queues far more than the connection to a peer holds that does not read. */
static void a_peer_that_does_not_read_loses_nothing_and_delays_no_other(void **ctx)
{
    enum { MANY = 200000 };
    struct post *post = *ctx;
    uint64_t heard = 0;

    for (uint64_t i = 0; i < MANY; i++)
        say(post, 0, i);
    say(post, 1, 9);
    assert_true(outbox_flush(post->outbox));
    assert_hears(post, 1, 9);
    while (heard < MANY) {
        outbox_flush(post->outbox);
        assert_hears(post, 0, heard++);
    }
    assert_true(outbox_is_empty(post->outbox));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
