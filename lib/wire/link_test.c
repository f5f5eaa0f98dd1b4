#include "lib/wire/link.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/endpoint.h"
#include "lib/wire/keys.h"
#include "lib/wire/refusals/refusals.h"
#include "tests/support/unit.h"

enum { TIME_LIMIT_MS = 10000 };

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

static void must_not_serve(const struct link_options *options, enum err_code code)
{
    struct link_hub *hub = link_hub_create();
    struct link *link;
    struct err err;

    assert_int_equal(link_server_open(&link, hub, options, &err), -1);
    assert_int_equal(err.code, code);
    link_hub_destroy(hub);
}

static void a_message_and_its_reply_arrive(void **ctx)
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
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(
        link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){7}, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(in.kind->type, MSG_HEARTBEAT);
    assert_int_equal(in.message.heartbeat.run_id, 7);

    struct msg_refused refused = {.code = "conflict", .text = "not in this state"};
    assert_int_equal(link_send(server, &in.peer, MSG_REFUSED, &refused, &err), 0);
    assert_int_equal(link_wait_receive(client, &in, TIME_LIMIT_MS, &err), 0);
    assert_string_equal(in.message.refused.text, "not in this state");
    link_receive(client, &in, &err);
    assert_null(in.kind);

    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
    free(path);
}

/* Sends until the server receives a message. The client notices late that it was
 * disconnected, so its first messages can be lost. */
static int
receive_again(struct link *client, struct link *server, bool parts, struct err *err)
{
    const struct msg_ok ok = {.text = "still here"};
    struct incoming in;
    int received = -1;

    for (int i = 0; i < 500 && received < 0; i++) {
        if (parts &&
            zmq_send(link_socket(client), "a", 1, ZMQ_SNDMORE | ZMQ_DONTWAIT) == 1)
            zmq_send(link_socket(client), "b", 1, 0);
        else
            link_send(client, NULL, MSG_OK, &ok, err);
        received = link_wait_receive(server, &in, 20, err);
        if (received < 0 && err->code != ERR_TIMEOUT)
            break;
    }
    return received;
}

static void garbage_disconnects_only_its_sender(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    struct link *client = call(hub, link_endpoint(server), NULL);
    struct incoming in;
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(link_send_packed(client, NULL, "garbage", 7, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_true(in.peer.size > 0);

    assert_int_equal(receive_again(client, server, true, &err), -1);
    assert_string_equal(err.text, "the message has several parts; one is allowed");

    assert_int_equal(receive_again(client, server, false, &err), 0);
    assert_int_equal(refusals_count(link_hub_refusals(hub), REFUSAL_MALFORMED), 2);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
}

static void a_peer_that_is_not_connected_is_unreachable(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    char *endpoint = xasprintf("ipc://%s/missing.sock", folder);
    struct link *client = call(hub, endpoint, NULL);
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    const struct peer missing = {.size = 5, .bytes = "\0abcd"};
    struct msg_ok ok = {.text = ""};
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, 0, &err), -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    assert_int_equal(link_send(client, NULL, MSG_OK, &ok, &err), -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    assert_int_equal(link_send(server, &missing, MSG_OK, &ok, &err), -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
}

/* Listens at a free port, which it writes to *port. */
static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

/* Accepts a connection, and sends a frame of 10 GiB after the handshake of a server. */
static void send_giant_frame(int listener)
{
    static const char greeting[64] = "\xff\0\0\0\0\0\0\0\0\x7f\3\0NULL";
    static const char ready[] = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06ROUTER";
    static const char frame[] = "\x02\0\0\0\x02\x80\0\0\0";
    int fd = accept(listener, NULL, NULL);
    char ignored[256];

    assert_true(fd >= 0);
    assert_int_equal(write(fd, greeting, sizeof(greeting)), sizeof(greeting));
    assert_int_equal(write(fd, ready, sizeof(ready) - 1), sizeof(ready) - 1);
    assert_int_equal(write(fd, frame, sizeof(frame) - 1), sizeof(frame) - 1);
    while (read(fd, ignored, sizeof(ignored)) > 0)
        continue; /* until the client closes the connection */
    close(fd);
}

static void a_client_connects_again_after_a_broken_protocol(void **ctx)
{
    uint16_t port;
    int listener = listen_anywhere(&port);
    struct link_hub *hub = link_hub_create();
    char *endpoint = xasprintf("tcp://127.0.0.1:%u", port);
    struct link *client = call(hub, endpoint, NULL), *server;
    uint64_t now_ms = clock_mono_ms();
    struct incoming in;
    struct err err;

    (void)ctx;
    send_giant_frame(listener);
    close(listener);
    while (link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){1}, &err) ==
           0)
        continue; /* ZeroMQ reads the end of the connection in its own thread */
    server = serve(hub, endpoint, NULL);
    link_revive(client, now_ms);
    link_revive(client, now_ms + LINK_REVIVE_MS);
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(
        link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){7}, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(in.message.heartbeat.run_id, 7);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
}

/* Both connections would take turns, and each would carry a part of the messages. */
static void a_connected_client_is_not_connected_twice(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    struct link *client = call(hub, link_endpoint(server), NULL);
    struct incoming in;
    struct peer first;
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    for (uint64_t i = 0; i < 8; i++) {
        link_revive(client, 1 + i * LINK_REVIVE_MS);
        assert_int_equal(
            link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){i}, &err),
            0);
        assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), 0);
        assert_int_equal(in.message.heartbeat.run_id, i);
        first = i == 0 ? in.peer : first;
        assert_true(peer_is_same(&first, &in.peer));
    }
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
}

/* A coordinator that reads nothing for a while must get all messages afterwards. */
static void a_full_queue_is_no_broken_connection(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    struct link *client = call(hub, link_endpoint(server), NULL);
    struct msg_ok ok = {.text = "a text that fills the buffers of the connection"};
    uint64_t sent = 0, received = 0;
    struct incoming in;
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    link_revive(client, 1);
    for (; link_wait_connected(client, 200, &err) == 0; sent++)
        if (link_send(client, NULL, MSG_OK, &ok, &err) < 0)
            break;
    while (link_send(client, NULL, MSG_OK, &ok, &err) == 0)
        sent++;
    link_revive(client, 2);
    link_revive(client, 2 + LINK_REVIVE_MS);
    link_revive(client, 2 + 2 * LINK_REVIVE_MS);
    while (received < sent && link_wait_receive(server, &in, TIME_LIMIT_MS, &err) == 0)
        received++;
    assert_int_equal(received, sent);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
}

static void localhost_is_an_address_for_servers_too(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://localhost:*", NULL);
    char *endpoint =
        xasprintf("tcp://localhost%s", strrchr(link_endpoint(server), ':'));
    struct link *client = call(hub, endpoint, NULL);
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    must_not_serve(
        &(struct link_options){.endpoint = "tcp://no.such.name:5", .insecure = true},
        ERR_INPUT);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
}

/* Lets this process open `count` more descriptors; -1: as many as before. */
static void allow_descriptors(int count)
{
    static struct rlimit before;
    struct rlimit limit;
    int fd = dup(STDIN_FILENO);

    if (count < 0) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    } else {
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        limit = before;
        limit.rlim_cur = (rlim_t)(fd + count);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    close(fd);
}

static void too_few_descriptors_are_reported_as_such(void **ctx)
{
    const struct link_options options = {.endpoint = "tcp://127.0.0.1:1"};
    struct link_hub *hub = link_hub_create();
    struct link *client;
    struct err err;

    (void)ctx;
    for (int count = 0; count < 8; count++) {
        allow_descriptors(count);
        int result = link_client_open(&client, hub, &options, &err);
        allow_descriptors(-1);
        assert_int_equal(result, -1);
        assert_int_equal(err.code, ERR_NO_RESOURCE);
        assert_non_null(strstr(err.text, "8 more descriptors are needed"));
    }
    client = call(hub, options.endpoint, NULL);
    allow_descriptors(0);
    int waited = link_wait_connected(client, 1, &err);
    enum err_code code = err.code;
    int sent = link_send(client, NULL, MSG_OK, &(struct msg_ok){.text = ""}, &err);
    allow_descriptors(-1);
    assert_int_equal(waited, -1);
    assert_int_equal(code, ERR_NO_RESOURCE);
    assert_int_equal(sent, -1);
    assert_int_equal(err.code, ERR_NO_RESOURCE);
    link_close(client);
    link_hub_destroy(hub);
}

static void plain_tcp_is_permitted_on_loopback_only(void **ctx)
{
    (void)ctx;
    must_not_serve(&(struct link_options){.endpoint = "tcp://0.0.0.0:*"}, ERR_DENIED);
    must_not_serve(&(struct link_options){.endpoint = "tcp://*:*"}, ERR_DENIED);
    must_not_serve(&(struct link_options){.endpoint = "tcp://127.evil.example:1"},
                   ERR_DENIED);
    must_not_serve(&(struct link_options){.endpoint = "pgm://x"}, ERR_INPUT);
    must_not_serve(&(struct link_options){.endpoint = "ipc://@hidden"}, ERR_INPUT);
    must_not_serve(&(struct link_options){.endpoint = "ipc://relative"}, ERR_INPUT);
}

static void a_path_that_is_too_long_for_a_socket_is_rejected(void **ctx)
{
    char endpoint[256] = "ipc:///tmp/";

    (void)ctx;
    memset(endpoint + strlen(endpoint), 'x', 150);
    must_not_serve(&(struct link_options){.endpoint = endpoint}, ERR_LIMIT);
}

/* CURVE. A reactor answers the authentication requests. It runs until a message arrives
 * or ZeroMQ's monitor reports a failed handshake. */

struct handshake {
    struct reactor *reactor;
    struct link *server, *client;
    void *monitor;
    bool was_admitted;
};

static void on_server(void *arg)
{
    struct handshake *handshake = arg;
    struct incoming in;
    struct err err;

    if (link_receive(handshake->server, &in, &err) == 0 && in.kind) {
        handshake->was_admitted = true;
        reactor_stop(handshake->reactor);
    }
}

static void on_handshake_failed(void *arg)
{
    struct handshake *handshake = arg;
    char ignored[64];

    while (zmq_recv(handshake->monitor, ignored, sizeof(ignored), ZMQ_DONTWAIT) >= 0)
        continue;
    reactor_stop(handshake->reactor);
}

static void on_try(void *arg)
{
    struct handshake *handshake = arg;
    struct msg_ok ok = {.text = "hello"};
    struct err err;

    link_send(handshake->client, NULL, MSG_OK, &ok, &err);
}

static void on_time_limit(void *arg)
{
    struct handshake *handshake = arg;

    reactor_stop(handshake->reactor);
}

static void watch_handshake(struct handshake *handshake, struct link_hub *hub)
{
    int failures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                   ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                   ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

    zmq_socket_monitor(link_socket(handshake->server), "inproc://monitor", failures);
    handshake->monitor = zmq_socket(link_hub_context(hub), ZMQ_PAIR);
    zmq_connect(handshake->monitor, "inproc://monitor");
}

/* A refused key is named by the address of its sender. */
static void on_refusal(enum refusal kind, const char *peer, void *arg)
{
    unsigned *count = arg;

    assert_int_equal(kind, REFUSAL_KEY);
    assert_string_equal(peer, "127.0.0.1");
    ++*count;
}

static bool is_admitted(struct keys *server_keys, struct keys *client_keys)
{
    struct link_hub *hub = link_hub_create();
    struct handshake handshake = {.reactor = reactor_create()};
    unsigned refused = 0;
    struct err err;

    refusals_on_first(link_hub_refusals(hub), on_refusal, &refused);
    assert_int_equal(link_hub_require_keys(hub, server_keys, handshake.reactor, &err),
                     0);
    handshake.server = serve(hub, "tcp://127.0.0.1:*", server_keys);
    watch_handshake(&handshake, hub);
    handshake.client = call(hub, link_endpoint(handshake.server), client_keys);
    reactor_on_socket(handshake.reactor, link_socket(handshake.server), on_server,
                      &handshake);
    reactor_on_socket(handshake.reactor, handshake.monitor, on_handshake_failed,
                      &handshake);
    reactor_every(handshake.reactor, 5, on_try, &handshake);
    reactor_once(handshake.reactor, TIME_LIMIT_MS, on_time_limit, &handshake);

    assert_int_equal(reactor_run(handshake.reactor, &err), 0);
    assert_int_equal(refused, client_keys && !handshake.was_admitted);
    zmq_close(handshake.monitor);
    link_close(handshake.client);
    link_close(handshake.server);
    link_hub_destroy(hub);
    reactor_destroy(handshake.reactor);
    return handshake.was_admitted;
}

static void only_allowed_keys_are_admitted(void **ctx)
{
    const char *const names[] = {"server", "allowed", "unknown"};
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

    assert_true(is_admitted(server, known));
    assert_false(is_admitted(server, unknown));
    assert_false(is_admitted(server, NULL));

    keys_close(server);
    keys_close(known);
    keys_close(unknown);
    for (size_t i = 0; i < 3; i++) {
        free(paths[i]);
        free(publics[i]);
    }
}

static void a_server_with_keys_needs_authentication(void **ctx)
{
    char *path = in_folder("unauthenticated"),
         *public = in_folder("unauthenticated.pub");
    struct keys *keys;
    struct err err;

    (void)ctx;
    assert_int_equal(keys_generate(path, ROLE_READ, "unauthenticated", &err), 0);
    assert_int_equal(keys_open_server(&keys, path, public, &err), 0);
    must_not_serve(
        &(struct link_options){.endpoint = "tcp://127.0.0.1:*", .keys = keys},
        ERR_INTERNAL);
    keys_close(keys);
    free(path);
    free(public);
}

static void assert_option(struct link *link, int option, int wanted)
{
    int value = -1;
    size_t size = sizeof(value);

    assert_int_equal(zmq_getsockopt(link_socket(link), option, &value, &size), 0);
    if (value != wanted)
        fail_msg("option %d is %d, not %d", option, value, wanted);
}

/* Limits of memory and time that a peer cannot change. ZeroMQ does not return
 * ZMQ_ROUTER_MANDATORY; another case sends to an unknown peer. */
static void sockets_have_limits_of_memory_and_time(void **ctx)
{
    static const struct {
        int option, server, client;
    } options[] = {
        {ZMQ_LINGER, 1000, 1000},
        {ZMQ_TCP_KEEPALIVE, 1, 1},
        {ZMQ_TCP_KEEPALIVE_IDLE, 60, 60}, /* 60 + 3 * 10 = 90 s */
        {ZMQ_TCP_KEEPALIVE_CNT, 3, 3},
        {ZMQ_TCP_KEEPALIVE_INTVL, 10, 10},
        {ZMQ_BACKLOG, 1024, 100},
        {ZMQ_HANDSHAKE_IVL, 10000, 30000},
        {ZMQ_IMMEDIATE, 0, 1},
        {ZMQ_RECONNECT_IVL, 100, 100},
        {ZMQ_RECONNECT_IVL_MAX, 0, 5000},
        {ZMQ_IPV6, 0, 0},
    };
    static const struct {
        enum link_kind kind;
        int waiting;
    } kinds[] = {{LINK_CONTROL, 1000}, {LINK_DATA, 4}};

    (void)ctx;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        struct link_hub *hub = link_hub_create();
        struct link_options at = {.endpoint = "tcp://127.0.0.1:*",
                                  .kind = kinds[k].kind};
        struct link *server, *client;
        struct err err;

        assert_int_equal(link_server_open(&server, hub, &at, &err), 0);
        at.endpoint = link_endpoint(server);
        assert_int_equal(link_client_open(&client, hub, &at, &err), 0);
        for (size_t i = 0; i < COUNT(options); i++) {
            assert_option(server, options[i].option, options[i].server);
            assert_option(client, options[i].option, options[i].client);
        }
        assert_option(server, ZMQ_SNDHWM, kinds[k].waiting);
        assert_option(server, ZMQ_RCVHWM, kinds[k].waiting);
        assert_option(client, ZMQ_SNDHWM, kinds[k].waiting);
        assert_option(client, ZMQ_RCVHWM, kinds[k].waiting);
        link_close(client);
        link_close(server);
        link_hub_destroy(hub);
    }
}

static void only_endpoints_of_this_machine_are_private(void **ctx)
{
    static const struct {
        const char *at;
        bool is_private;
    } cases[] = {
        {"ipc:///run/x", true},
        {"tcp://127.0.0.1:5", true},
        {"tcp://127.255.1.2:5", true},
        {"tcp://localhost:5", true},
        {"tcp://[::1]:5", true},
        {"tcp://126.0.0.1:5", false},
        {"tcp://128.0.0.1:5", false},
        {"tcp://0.0.0.0:5", false},
        {"tcp://*:5", false},
        {"tcp://localhost.org:5", false},
        {"tcp://[::2]:5", false},
        {"tcp://127.0.0.1", false},
        {"tcp://127.0.0.1.example:5", false},
        /* a name of 63 characters fits, one of 64 does not */
        {"tcp://1234567890123456789012345678901234567890123456789012345678901234:5",
         false},
    };
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(endpoint_is_private(cases[i].at), cases[i].is_private);
        assert_int_equal(endpoint_check(cases[i].at, true, &err), 0);
        assert_int_equal(endpoint_check(cases[i].at, false, &err),
                         cases[i].is_private ? 0 : -1);
        if (!cases[i].is_private)
            assert_int_equal(err.code, ERR_DENIED);
    }
    assert_int_equal(endpoint_check("udp://a:1", true, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(endpoint_check("ipc://relative", true, &err), -1);
}

static void the_path_of_a_socket_has_at_most_107_characters(void **ctx)
{
    char at[6 + 109 + 1] = "ipc://";
    struct err err;

    (void)ctx;
    memset(at + 6, 'x', 109);
    at[6] = '/';
    at[6 + 107] = '\0';
    assert_int_equal(endpoint_check(at, false, &err), 0);
    at[6 + 107] = 'x';
    at[6 + 108] = '\0';
    assert_int_equal(endpoint_check(at, false, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_non_null(strstr(err.text, "at most 107 characters"));
}

static void peers_are_compared_by_all_their_bytes(void **ctx)
{
    const struct peer one = {.size = 2, .bytes = {1, 2}};
    const struct peer same = {.size = 2, .bytes = {1, 2, 9}};
    const struct peer longer = {.size = 3, .bytes = {1, 2, 9}};
    const struct peer other = {.size = 2, .bytes = {1, 3}};

    (void)ctx;
    assert_true(peer_is_same(&one, &same));
    assert_false(peer_is_same(&one, &longer));
    assert_false(peer_is_same(&one, &other));
}

/* The link hides the bye, so the packet is read from the socket. */
static void only_a_client_sends_a_bye(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    struct link *client = call(hub, link_endpoint(server), NULL);
    char identity[256], packet[256], wanted[] = "\x82\xa4type";
    int limit_ms = TIME_LIMIT_MS, size;
    struct incoming in;
    struct err err;

    (void)ctx;
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(
        link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){7}, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), 0);
    link_close(client);
    zmq_setsockopt(link_socket(server), ZMQ_RCVTIMEO, &limit_ms, sizeof(limit_ms));
    assert_true(zmq_recv(link_socket(server), identity, sizeof(identity), 0) > 0);
    size = zmq_recv(link_socket(server), packet, sizeof(packet), 0);
    assert_true(size > 7);
    assert_memory_equal(packet, wanted, 6);
    assert_int_equal((unsigned char)packet[6], MSG_BYE);

    client = call(hub, link_endpoint(server), NULL);
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(
        link_send(client, NULL, MSG_HEARTBEAT, &(struct msg_heartbeat){7}, &err), 0);
    assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(in.caller.roles, ROLE_ALL);
    assert_string_equal(in.caller.name, "");
    link_close(server);
    link_receive(client, &in, &err);
    assert_null(in.kind);
    assert_int_equal(in.peer.size, 0);
    link_close(client);
    link_hub_destroy(hub);
}

static void waiting_without_an_answer_ends_with_the_time(void **ctx)
{
    struct link_hub *hub = link_hub_create();
    struct link *server = serve(hub, "tcp://127.0.0.1:*", NULL);
    struct incoming in;
    struct err err;
    char wanted[200];

    (void)ctx;
    snprintf(wanted, sizeof(wanted), "no answer from %s within 1 ms",
             link_endpoint(server));
    assert_int_equal(link_wait_receive(server, &in, 1, &err), -1);
    assert_int_equal(err.code, ERR_TIMEOUT);
    assert_string_equal(err.text, wanted);
    assert_int_equal(link_wait_receive(server, &in, 0, &err), -1);
    assert_int_equal(err.code, ERR_TIMEOUT);
    link_close(server);
    link_hub_destroy(hub);
}

static void an_endpoint_with_a_listener_is_found(void **ctx)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof(address);
    char at[64];

    (void)ctx;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(at, sizeof(at), "tcp://127.0.0.1:%u", ntohs(address.sin_port));
    assert_false(endpoint_has_listener(at)); /* bound, but nothing listens */
    assert_int_equal(listen(listener, 1), 0);
    assert_true(endpoint_has_listener(at));
    close(listener);
    assert_false(endpoint_has_listener(at));
    assert_false(endpoint_has_listener("ipc:///run/muster"));
    assert_false(endpoint_has_listener("tcp://"));
    assert_false(endpoint_has_listener("tcp://:1"));
}

/* The kernel drops the requests of a queue that is full; the test waits a second. */
static void a_listener_that_does_not_answer_is_not_found(void **ctx)
{
    enum { CLIENTS = 3 };
    uint16_t port;
    int listener = listen_anywhere(&port), clients[CLIENTS];
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons(port)};
    char at[64];

    (void)ctx;
    assert_int_equal(listen(listener, 0), 0);
    for (size_t i = 0; i < CLIENTS; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        connect(clients[i], (struct sockaddr *)&address, sizeof(address));
    }
    snprintf(at, sizeof(at), "tcp://127.0.0.1:%u", port);
    assert_false(endpoint_has_listener(at));
    for (size_t i = 0; i < CLIENTS; i++)
        close(clients[i]);
    close(listener);
}

static int create_folder(void **ctx)
{
    (void)ctx;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_and_its_reply_arrive),
        cmocka_unit_test(garbage_disconnects_only_its_sender),
        cmocka_unit_test(a_peer_that_is_not_connected_is_unreachable),
        cmocka_unit_test(a_client_connects_again_after_a_broken_protocol),
        cmocka_unit_test(a_connected_client_is_not_connected_twice),
        cmocka_unit_test(a_full_queue_is_no_broken_connection),
        cmocka_unit_test(localhost_is_an_address_for_servers_too),
        cmocka_unit_test(too_few_descriptors_are_reported_as_such),
        cmocka_unit_test(plain_tcp_is_permitted_on_loopback_only),
        cmocka_unit_test(a_path_that_is_too_long_for_a_socket_is_rejected),
        cmocka_unit_test(sockets_have_limits_of_memory_and_time),
        cmocka_unit_test(only_endpoints_of_this_machine_are_private),
        cmocka_unit_test(the_path_of_a_socket_has_at_most_107_characters),
        cmocka_unit_test(peers_are_compared_by_all_their_bytes),
        cmocka_unit_test(only_a_client_sends_a_bye),
        cmocka_unit_test(waiting_without_an_answer_ends_with_the_time),
        cmocka_unit_test(only_allowed_keys_are_admitted),
        cmocka_unit_test(a_server_with_keys_needs_authentication),
        cmocka_unit_test(an_endpoint_with_a_listener_is_found),
        cmocka_unit_test(a_listener_that_does_not_answer_is_not_found),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
