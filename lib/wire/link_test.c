#include "lib/wire/link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/keys.h"
#include "lib/wire/refusals.h"
#include "tests/support/unit.h"

enum { PATIENCE_MS = 10000 };

static char folder[] = "/tmp/muster-link-XXXXXX";

static char *in_folder(const char *name)
{
    return xasprintf("%s/%s", folder, name);
}

static struct link *serve(struct link_hub *hub, const char *endpoint, struct keys *keys)
{
    struct link *link;
    struct err err;
    const struct link_options options = {.endpoint = endpoint, .keys = keys};

    if (link_server_open(&link, hub, &options, &err) < 0)
        fail_msg("%s", err.text);
    return link;
}

static struct link *call(struct link_hub *hub, const char *endpoint, struct keys *keys)
{
    struct link *link;
    struct err err;
    const struct link_options options = {.endpoint = endpoint, .keys = keys};

    if (link_client_open(&link, hub, &options, &err) < 0)
        fail_msg("%s", err.text);
    return link;
}

static void refuses_to_serve(const struct link_options *options, enum err_code code)
{
    struct link_hub *hub = link_hub_create();
    struct link *link;
    struct err err;

    assert_int_equal(link_server_open(&link, hub, options, &err), -1);
    assert_int_equal(err.code, code);
    link_hub_destroy(hub);
}

static void a_message_goes_there_and_back(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    char *path = in_folder("run/control.sock");
    char *endpoint = xasprintf("ipc://%s", path);
    struct link *server = serve(hub, endpoint, NULL);
    struct link *client = call(hub, endpoint, NULL);
    struct incoming in;
    struct stat status;
    struct err err;

    (void)ctx;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(link_wait_connected(client, PATIENCE_MS, &err), 0);
    assert_int_equal(
        link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){7}, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, PATIENCE_MS, &err), 0);
    assert_int_equal(in.kind->type, MSG_HEARTBEAT);
    assert_int_equal(in.message.heartbeat.run_id, 7);

    struct msg_refused refused = {.code = "conflict", .text = "not in this state"};
    assert_int_equal(link_send(server, &in.peer, MSG_REFUSED, &refused, &err), 0);
    assert_int_equal(link_wait_receive(client, &in, PATIENCE_MS, &err), 0);
    assert_string_equal(in.message.refused.text, "not in this state");
    link_receive(client, &in, &err);
    assert_null(in.kind);

    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
    free(path);
}

/* Who was cut off does not know it yet when he speaks again: until he is heard. */
static int
hear_again(struct link *client, struct link *server, bool parts, struct err *err)
{
    const struct msg_ok ok = {.text = "still here"};
    struct incoming in;
    int heard = -1;

    for (int i = 0; i < 500 && heard < 0; i++) {
        if (parts &&
            zmq_send(link_socket(client), "a", 1, ZMQ_SNDMORE | ZMQ_DONTWAIT) == 1)
            zmq_send(link_socket(client), "b", 1, 0);
        else
            link_send(client, NULL, MSG_OK, &ok, err);
        heard = link_wait_receive(server, &in, 20, err);
        if (heard < 0 && err->code != ERR_TIMEOUT)
            break;
    }
    return heard;
}

static void rubbish_costs_its_sender_only(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    struct link *client = call(hub, link_endpoint(server), NULL);
    struct incoming in;
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, PATIENCE_MS, &err), 0);
    assert_int_equal(link_send_packed(client, NULL, "rubbish", 7, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, PATIENCE_MS, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_true(in.peer.size > 0);

    assert_int_equal(hear_again(client, server, true, &err), -1);
    assert_string_equal(err.text, "a message of several parts");

    assert_int_equal(hear_again(client, server, false, &err), 0);
    assert_int_equal(refusals_count(link_hub_refusals(hub), REFUSAL_MALFORMED), 2);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
}

static void who_is_not_there_is_unreachable(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    char *endpoint = xasprintf("ipc://%s/nobody.sock", folder);
    struct link *client = call(hub, endpoint, NULL);
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    const struct peer nobody = {.size = 5, .bytes = "\0abcd"};
    struct msg_ok ok = {.text = ""};
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, 0, &err), -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    assert_int_equal(link_send(client, NULL, MSG_OK, &ok, &err), -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    assert_int_equal(link_send(server, &nobody, MSG_OK, &ok, &err), -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
}

static void plain_tcp_is_for_loopback(void **ctx)
{
    (void)ctx;
    refuses_to_serve(&(struct link_options){.endpoint = "tcp://0.0.0.0:*"}, ERR_DENIED);
    refuses_to_serve(&(struct link_options){.endpoint = "tcp://*:*"}, ERR_DENIED);
    refuses_to_serve(&(struct link_options){.endpoint = "tcp://127.evil.example:1"},
                     ERR_DENIED);
    refuses_to_serve(&(struct link_options){.endpoint = "pgm://x"}, ERR_INPUT);
    refuses_to_serve(&(struct link_options){.endpoint = "ipc://@hidden"}, ERR_INPUT);
    refuses_to_serve(&(struct link_options){.endpoint = "ipc://relative"}, ERR_INPUT);
}

static void a_path_too_long_for_a_socket_is_named(void **ctx)
{
    char endpoint[256] = "ipc:///tmp/";

    (void)ctx;
    memset(endpoint + strlen(endpoint), 'x', 150);
    refuses_to_serve(&(struct link_options){.endpoint = endpoint}, ERR_LIMIT);
}

/* CURVE. The guard answers in turns of a reactor, which runs until somebody came in
 * or ZeroMQ told its monitor that the handshake failed. */

struct door {
    struct reactor *reactor;
    struct link *server, *client;
    void *monitor;
    bool came_in;
};

static void on_server(void *arg)
{
    struct door *door = arg;
    struct incoming in;
    struct err err;

    if (link_receive(door->server, &in, &err) == 0 && in.kind) {
        door->came_in = true;
        reactor_stop(door->reactor);
    }
}

static void on_handshake_failed(void *arg)
{
    struct door *door = arg;
    char ignored[64];

    while (zmq_recv(door->monitor, ignored, sizeof(ignored), ZMQ_DONTWAIT) >= 0)
        continue;
    reactor_stop(door->reactor);
}

static void on_try(void *arg)
{
    struct door *door = arg;
    struct msg_ok ok = {.text = "let me in"};
    struct err err;

    link_send(door->client, NULL, MSG_OK, &ok, &err);
}

static void on_impatience(void *arg)
{
    struct door *door = arg;

    reactor_stop(door->reactor);
}

static void watch_handshake(struct door *door, struct link_hub *hub)
{
    int failures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                   ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                   ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

    zmq_socket_monitor(link_socket(door->server), "inproc://monitor", failures);
    door->monitor = zmq_socket(link_hub_context(hub), ZMQ_PAIR);
    zmq_connect(door->monitor, "inproc://monitor");
}

static bool comes_in(struct keys *server_keys, struct keys *client_keys)
{
    struct link_hub *hub = link_hub_create();
    struct door door = {.reactor = reactor_create()};
    struct err err;

    assert_int_equal(link_hub_guard(hub, server_keys, door.reactor, &err), 0);
    door.server = serve(hub, "tcp://127.0.0.1:*", server_keys);
    watch_handshake(&door, hub);
    door.client = call(hub, link_endpoint(door.server), client_keys);
    reactor_on_socket(door.reactor, link_socket(door.server), on_server, &door);
    reactor_on_socket(door.reactor, door.monitor, on_handshake_failed, &door);
    reactor_every(door.reactor, 5, on_try, &door);
    reactor_once(door.reactor, PATIENCE_MS, on_impatience, &door);

    assert_int_equal(reactor_run(door.reactor, &err), 0);
    zmq_close(door.monitor);
    link_close(door.client);
    link_close(door.server);
    link_hub_destroy(hub);
    reactor_destroy(door.reactor);
    return door.came_in;
}

static void only_allowed_keys_come_in(void **ctx)
{
    const char *const names[] = {"server", "friend", "stranger"};
    char *paths[3], *publics[3], *server_as_known;
    struct keys *server, *known, *unknown;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < 3; i++) {
        paths[i] = in_folder(names[i]);
        publics[i] = xasprintf("%s.pub", paths[i]);
        assert_int_equal(keys_generate(paths[i], ROLE_READ, names[i], &err), 0);
    }
    server_as_known = publics[0];
    assert_int_equal(keys_open_server(&server, paths[0], publics[1], &err), 0);
    assert_int_equal(keys_open_client(&known, paths[1], server_as_known, &err), 0);
    assert_int_equal(keys_open_client(&unknown, paths[2], server_as_known, &err), 0);

    assert_true(comes_in(server, known));
    assert_false(comes_in(server, unknown));
    assert_false(comes_in(server, NULL));

    keys_close(server);
    keys_close(known);
    keys_close(unknown);
    for (size_t i = 0; i < 3; i++) {
        free(paths[i]);
        free(publics[i]);
    }
}

static void a_server_with_keys_needs_its_guard(void **ctx)
{
    char *path = in_folder("unguarded"), *public = in_folder("unguarded.pub");
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(keys_generate(path, ROLE_READ, "unguarded", &err), 0);
    assert_int_equal(keys_open_server(&keys, path, public, &err), 0);
    refuses_to_serve(
        &(struct link_options){.endpoint = "tcp://127.0.0.1:*", .keys = keys},
        ERR_INTERNAL);
    keys_close(keys);
    free(path);
    free(public);
}

static int in_a_folder(void **ctx)
{
    (void)ctx;
    return mkdtemp(folder) ? 0 : -1;
}

static int away_with_it(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_goes_there_and_back),
        cmocka_unit_test(rubbish_costs_its_sender_only),
        cmocka_unit_test(who_is_not_there_is_unreachable),
        cmocka_unit_test(plain_tcp_is_for_loopback),
        cmocka_unit_test(a_path_too_long_for_a_socket_is_named),
        cmocka_unit_test(only_allowed_keys_come_in),
        cmocka_unit_test(a_server_with_keys_needs_its_guard),
    };
    return cmocka_run_group_tests(tests, in_a_folder, away_with_it);
}
