/* link_reconnect_test.c - a client outlives its server */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/wire/link.h"
#include "tests/support/unit.h"

enum { TIME_LIMIT_MS = 10000 };

struct side {
    struct link_hub *hub;
    struct link *link;
};

static struct side open_server(const char *endpoint)
{
    const struct link_options options = {.endpoint = endpoint};
    struct side server = {.hub = link_hub_create()};
    struct err err;

    if (link_server_open(&server.link, server.hub, &options, &err) < 0)
        fail_msg("%s", err.text);
    return server;
}

static struct side open_client(const char *endpoint)
{
    const struct link_options options = {.endpoint = endpoint};
    struct side client = {.hub = link_hub_create()};
    struct err err;

    assert_int_equal(link_client_open(&client.link, client.hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(client.link, TIME_LIMIT_MS, &err), 0);
    return client;
}

static void close_side(struct side *side)
{
    link_close(side->link);
    link_hub_destroy(side->hub); /* waits until the port is free */
}

static int send_heartbeat(const struct side *client, uint64_t run_id)
{
    struct err err;

    return link_send(client->link, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){run_id},
                     &err);
}

/* Requires that the next message of the server has the number; returns its sender. */
static struct peer must_receive(const struct side *server, uint64_t run_id)
{
    struct incoming in;
    struct err err;

    if (link_wait_receive(server->link, &in, TIME_LIMIT_MS, &err) < 0)
        fail_msg("message %d: %s", (int)run_id, err.text);
    assert_int_equal(in.message.heartbeat.run_id, run_id);
    return in.peer;
}

static void close_server(struct side *server, const struct side *client)
{
    close_side(server);
    while (send_heartbeat(client, 99) == 0)
        continue; /* ZeroMQ reads the end of the connection in its own thread */
}

/* Two connections to the new server would take turns. */
static void a_client_has_one_connection_to_the_next_server(void **ctx)
{
    struct side server = open_server("tcp://127.0.0.1:*");
    char *endpoint = xstrdup(link_endpoint(server.link));
    struct side client = open_client(endpoint);
    struct peer first = {0};
    struct err err;

    (void)ctx;
    link_revive(client.link, 1);
    assert_int_equal(send_heartbeat(&client, 1), 0);
    must_receive(&server, 1);
    close_server(&server, &client);
    link_revive(client.link, 2); /* not connected since 2 ms */
    server = open_server(endpoint);
    assert_int_equal(link_wait_connected(client.link, TIME_LIMIT_MS, &err), 0);
    for (uint64_t i = 0; i < 8; i++) {
        link_revive(client.link, 3 + i * LINK_REVIVE_MS);
        assert_int_equal(send_heartbeat(&client, i), 0);
        const struct peer peer = must_receive(&server, i);
        first = i == 0 ? peer : first;
        assert_true(peer_is_same(&first, &peer));
    }
    close_side(&client);
    close_side(&server);
    free(endpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_has_one_connection_to_the_next_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
