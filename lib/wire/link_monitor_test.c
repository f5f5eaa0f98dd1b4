/* link_monitor_test.c - a server counts the connections that ZeroMQ closes, and a lent
 * packet is given back exactly once */
#include <arpa/inet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"
#include "lib/wire/link.h"
#include "lib/wire/refusals/refusals.h"
#include "tests/support/unit.h"

enum { TIME_LIMIT_MS = 10000, TURN_MS = 5 };

struct scene {
    struct link_hub *hub;
    struct reactor *reactor;
    struct link *server;
    unsigned messages;
    uint64_t counts[REFUSAL_KINDS]; /* that the scene waits for */
    unsigned wanted;                /* messages */
    uint64_t until_ms;
    struct text first; /* the kinds of the callback, with their peers */
};

static void on_message(void *arg)
{
    struct scene *scene = arg;
    struct incoming in;
    struct err err;

    while (link_receive(scene->server, &in, &err) == 0 && in.kind)
        scene->messages += in.kind->type == MSG_OK;
}

static void on_first(enum refusal kind, const char *peer, void *arg)
{
    struct scene *scene = arg;

    text_printf(&scene->first, "%s %s\n", refusal_kind_word(kind), peer);
}

static void set_up(struct scene *scene, enum link_kind kind)
{
    const struct link_options options = {.endpoint = "tcp://127.0.0.1:*", .kind = kind};
    struct err err;

    *scene = (struct scene){.hub = link_hub_create(), .reactor = reactor_create()};
    link_hub_monitor(scene->hub, scene->reactor);
    refusals_on_first(link_hub_refusals(scene->hub), on_first, scene);
    assert_int_equal(link_server_open(&scene->server, scene->hub, &options, &err), 0);
    reactor_on_socket(scene->reactor, link_socket(scene->server), on_message, scene);
}

static void tear_down(struct scene *scene)
{
    link_close(scene->server);
    link_hub_destroy(scene->hub);
    reactor_destroy(scene->reactor);
    text_clear(&scene->first);
}

static bool is_complete(const struct scene *scene)
{
    for (size_t kind = 0; kind < REFUSAL_KINDS; kind++)
        if (refusals_count(link_hub_refusals(scene->hub), kind) < scene->counts[kind])
            return false;
    return scene->messages >= scene->wanted;
}

static void on_turn(void *arg)
{
    struct scene *scene = arg;

    if (is_complete(scene) || clock_mono_ms() > scene->until_ms)
        reactor_stop(scene->reactor);
}

/* Runs the server until the counts are reached; each must then be exact. */
static void run(struct scene *scene)
{
    struct reactor_timer *turn = reactor_every(scene->reactor, TURN_MS, on_turn, scene);
    struct err err;

    scene->until_ms = clock_mono_ms() + TIME_LIMIT_MS;
    assert_int_equal(reactor_run(scene->reactor, &err), 0);
    reactor_cancel(scene->reactor, turn);
    for (size_t kind = 0; kind < REFUSAL_KINDS; kind++)
        assert_int_equal(refusals_count(link_hub_refusals(scene->hub), kind),
                         scene->counts[kind]);
    assert_int_equal(scene->messages, scene->wanted);
}

/* Connects with a socket that sends no bye. */
static void *connect_bare(const struct scene *scene)
{
    void *socket = zmq_socket(link_hub_context(scene->hub), ZMQ_DEALER);

    assert_non_null(socket);
    assert_int_equal(zmq_connect(socket, link_endpoint(scene->server)), 0);
    return socket;
}

static void send_ok(void *socket)
{
    const struct msg_ok ok = {.text = "hello"};
    struct text packet = {0};

    codec_pack(&packet, MSG_OK, &ok);
    assert_int_equal(zmq_send(socket, packet.bytes, packet.length, 0), packet.length);
    text_clear(&packet);
}

static void send_garbage(const struct scene *scene)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char ignored[256];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_port = htons((uint16_t)atoi(strrchr(link_endpoint(scene->server), ':') + 1));
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(write(fd, "GET / HTTP/1.0\r\n\r\n", 18), 18);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    while (read(fd, ignored, sizeof(ignored)) > 0)
        continue; /* until the server has closed the connection */
    close(fd);
}

static void a_connection_without_a_message_is_cut_off(void **ctx)
{
    static const enum link_kind kinds[] = {LINK_CONTROL, LINK_DATA};

    (void)ctx;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct scene scene;

        set_up(&scene, kinds[i]);
        send_garbage(&scene);
        send_garbage(&scene);
        scene.counts[REFUSAL_CUT_OFF] = 2;
        run(&scene);
        assert_string_equal(text_get(&scene.first), "cut-off tcp://127.0.0.1:*\n");
        tear_down(&scene);
    }
}

static void a_connection_that_ends_without_a_bye_is_broken_off(void **ctx)
{
    struct scene scene;
    void *bare;
    struct link *client;
    struct link_options options = {0};
    struct err err;

    (void)ctx;
    set_up(&scene, LINK_CONTROL);
    options.endpoint = link_endpoint(scene.server);
    assert_int_equal(link_client_open(&client, scene.hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    assert_int_equal(
        link_send(client, NULL, MSG_OK, &(struct msg_ok){.text = ""}, &err), 0);
    bare = connect_bare(&scene);
    send_ok(bare);
    send_ok(bare);
    scene.wanted = 3;
    run(&scene);
    link_close(client); /* sends a bye */
    zmq_close(bare);
    scene.counts[REFUSAL_BROKEN_OFF] = 1;
    run(&scene);
    assert_string_equal(text_get(&scene.first), "broken-off tcp://127.0.0.1:*\n");
    tear_down(&scene);
}

static void an_empty_packet_disconnects_its_sender(void **ctx)
{
    struct scene scene;
    void *bare;

    (void)ctx;
    set_up(&scene, LINK_CONTROL);
    bare = connect_bare(&scene);
    assert_int_equal(zmq_send(bare, "", 0, 0), 0);
    scene.counts[REFUSAL_MALFORMED] = 1;
    scene.counts[REFUSAL_CUT_OFF] = 1; /* nothing was understood before its end */
    run(&scene);
    zmq_close(bare);
    tear_down(&scene);
}

/* A peer that has no data to send is silent. */
static void only_a_data_connection_may_be_silent(void **ctx)
{
    static const struct {
        enum link_kind kind;
        unsigned cut_off;
    } cases[] = {{LINK_CONTROL, 1}, {LINK_DATA, 0}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        void *silent, *speaks;

        set_up(&scene, cases[i].kind);
        silent = connect_bare(&scene);
        assert_int_equal(zmq_setsockopt(silent, ZMQ_LINGER, &(int){0}, sizeof(int)), 0);
        for (;;) { /* until its handshake is complete */
            zmq_pollitem_t item = {.socket = silent, .events = ZMQ_POLLOUT};

            assert_true(zmq_poll(&item, 1, TIME_LIMIT_MS) >= 0);
            if (item.revents)
                break;
        }
        speaks = connect_bare(&scene);
        send_ok(speaks);
        scene.wanted = 1;
        run(&scene);
        zmq_close(silent);
        zmq_close(speaks);
        scene.counts[REFUSAL_CUT_OFF] = cases[i].cut_off;
        scene.counts[REFUSAL_BROKEN_OFF] = 1; /* counted later than the other one */
        run(&scene);
        tear_down(&scene);
    }
}

static void count_done(void *packet, void *arg)
{
    atomic_uint *count = arg;

    free(packet);
    atomic_fetch_add(count, 1);
}

static void a_lent_packet_is_given_back_once(void **ctx)
{
    static const struct peer missing = {.size = 5, .bytes = "\0abcd"};
    const struct msg_ok ok = {.text = "lent"};
    struct link_hub *hub = link_hub_create();
    struct link_options options = {.endpoint = "tcp://127.0.0.1:*"};
    struct link *server, *client;
    struct text packet = {0};
    atomic_uint done = 0;
    struct incoming in;
    size_t size;
    struct err err;

    (void)ctx;
    assert_int_equal(link_server_open(&server, hub, &options, &err), 0);
    options.endpoint = link_endpoint(server);
    assert_int_equal(link_client_open(&client, hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    for (int back = 0; back < 2; back++) { /* to the server, then to its client */
        const struct peer to = in.peer;

        codec_pack(&packet, MSG_OK, &ok);
        size = packet.length;
        assert_int_equal(link_send_lent(back ? server : client, back ? &to : NULL,
                                        text_take(&packet), size, count_done, &done,
                                        &err),
                         0);
        assert_int_equal(
            link_wait_receive(back ? client : server, &in, TIME_LIMIT_MS, &err), 0);
        assert_string_equal(in.message.ok.text, "lent");
    }
    /* a packet that is not sent is given back before the return */
    codec_pack(&packet, MSG_OK, &ok);
    size = packet.length;
    unsigned before = atomic_load(&done);
    assert_int_equal(link_send_lent(server, &missing, text_take(&packet), size,
                                    count_done, &done, &err),
                     -1);
    assert_int_equal(err.code, ERR_UNREACHABLE);
    assert_true(atomic_load(&done) > before);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    assert_int_equal(atomic_load(&done), 3);
}

/* The errno of an earlier call is not that of the packet. */
static void a_lent_packet_is_sent_once(void **ctx)
{
    static const char *const texts[] = {"first", "second", "third"};
    struct link_hub *hub = link_hub_create();
    struct link_options options = {.endpoint = "tcp://127.0.0.1:*"};
    struct link *server, *client;
    atomic_uint done = 0;
    struct incoming in;
    struct err err;

    (void)ctx;
    assert_int_equal(link_server_open(&server, hub, &options, &err), 0);
    options.endpoint = link_endpoint(server);
    assert_int_equal(link_client_open(&client, hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(client, TIME_LIMIT_MS, &err), 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct text packet = {0};

        codec_pack(&packet, MSG_OK, &(struct msg_ok){.text = texts[i]});
        size_t size = packet.length;
        errno = EAGAIN;
        assert_int_equal(link_send_lent(client, NULL, text_take(&packet), size,
                                        count_done, &done, &err),
                         0);
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(link_wait_receive(server, &in, TIME_LIMIT_MS, &err), 0);
        assert_string_equal(in.message.ok.text, texts[i]);
    }
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    assert_int_equal(atomic_load(&done), COUNT(texts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_without_a_message_is_cut_off),
        cmocka_unit_test(a_connection_that_ends_without_a_bye_is_broken_off),
        cmocka_unit_test(an_empty_packet_disconnects_its_sender),
        cmocka_unit_test(only_a_data_connection_may_be_silent),
        cmocka_unit_test(a_lent_packet_is_given_back_once),
        cmocka_unit_test(a_lent_packet_is_sent_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
