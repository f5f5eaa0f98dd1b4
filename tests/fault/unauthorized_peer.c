/* unauthorized_peer.c - connects to a coordinator in ways that it must refuse
 *
 *   unauthorized_peer PORT WAY COUNT [KEY SERVER_KEY]
 *
 * Connects COUNT times, one after another, and waits each time until the server closes
 * the connection. With KEY the peer is on the allow-list and sends wrong messages.
 * Exit code 1: the server accepted the peer, or did not close the connection in time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/wire/keys.h"
#include "lib/wire/link.h"
#include "lib/wire/refusals/connections.h"

enum { TIMEOUT_MS = 20000, GREETING = 64 };

static uint16_t port;
static const char *key_file, *server_file;

static void give_up(const char *reason)
{
    fprintf(stderr, "unauthorized_peer: %s: %s\n", reason, strerror(errno));
    exit(1);
}

static int dial(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
        give_up("connecting");
    return fd;
}

/* Waits until the server closes the connection; ignores all that it sends before. */
static void wait_for_close(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char ignored[4096];

    do {
        if (poll(&wait, 1, TIMEOUT_MS) <= 0)
            give_up("the server does not close the connection");
    } while (read(fd, ignored, sizeof(ignored)) > 0);
    close(fd);
}

static void say(int fd, const void *bytes, size_t size)
{
    (void)!send(fd, bytes, size, MSG_NOSIGNAL);
}

static void garbage(void)
{
    char bytes[512];
    int fd = dial();

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 37 + 11);
    say(fd, bytes, sizeof(bytes));
    wait_for_close(fd);
}

/* Sends the greeting of ZMTP 3.0 with the name of a security mechanism. */
static void greet(int fd, const char *mechanism)
{
    uint8_t greeting[GREETING] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0};

    memcpy(greeting + 12, mechanism, strlen(mechanism));
    say(fd, greeting, sizeof(greeting));
}

/* Sends the header of a frame of 10 GiB and its first bytes. */
static void giant(void)
{
    uint8_t frame[9 + 1000] = {2 /* its size has 8 bytes */};
    uint64_t size = 10ull << 30;
    int fd = dial();

    for (int i = 0; i < 8; i++)
        frame[1 + i] = (uint8_t)(size >> (56 - 8 * i));
    greet(fd, "CURVE");
    say(fd, frame, sizeof(frame));
    wait_for_close(fd);
}

static void no_key(void)
{
    int fd = dial();

    greet(fd, "NULL");
    wait_for_close(fd);
}

/* Connections with ZeroMQ's client */

struct client {
    void *context, *socket, *monitor;
};

static void set_text(void *socket, int option, const char *value)
{
    if (zmq_setsockopt(socket, option, value, KEY_TEXT + 1) < 0)
        give_up("setting a key");
}

static void call(struct client *client, uint16_t to, const struct keys *keys)
{
    char endpoint[64];
    int none = 0, soon = 5;

    client->context = zmq_ctx_new();
    client->socket = zmq_socket(client->context, ZMQ_DEALER);
    zmq_setsockopt(client->socket, ZMQ_LINGER, &none, sizeof(none));
    zmq_setsockopt(client->socket, ZMQ_RECONNECT_IVL, &soon, sizeof(soon));
    set_text(client->socket, ZMQ_CURVE_SERVERKEY, keys_server(keys));
    set_text(client->socket, ZMQ_CURVE_PUBLICKEY, keys_public(keys));
    set_text(client->socket, ZMQ_CURVE_SECRETKEY, keys_secret(keys));
    if (zmq_socket_monitor(client->socket, "inproc://monitor", ZMQ_EVENT_ALL) < 0)
        give_up("watching");
    client->monitor = zmq_socket(client->context, ZMQ_PAIR);
    zmq_connect(client->monitor, "inproc://monitor");
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", (unsigned)to);
    if (zmq_connect(client->socket, endpoint) < 0)
        give_up("connecting");
}

static void hang_up(struct client *client)
{
    zmq_socket_monitor(client->socket, NULL, 0);
    zmq_close(client->monitor);
    zmq_close(client->socket);
    zmq_ctx_term(client->context);
}

/* Waits for one of the events in the mask and returns it. */
static int await_event(struct client *client, int events)
{
    uint64_t until_ms = clock_mono_ms() + TIMEOUT_MS;
    zmq_pollitem_t item = {.socket = client->monitor, .events = ZMQ_POLLIN};
    uint8_t head[6];
    uint16_t event;

    while (clock_mono_ms() < until_ms) {
        if (zmq_poll(&item, 1, 100) <= 0)
            continue;
        zmq_recv(client->monitor, head, sizeof(head), 0);
        memcpy(&event, head, sizeof(event));
        zmq_recv(client->monitor, NULL, 0, 0);
        if (event & events)
            return event;
    }
    errno = ETIMEDOUT;
    give_up("no event of the connection");
    return 0;
}

static struct keys *read_keys(void)
{
    struct keys *keys;
    struct err err;

    if (keys_open_client(&keys, key_file, server_file, &err) < 0) {
        fprintf(stderr, "unauthorized_peer: %s\n", err.text);
        exit(1);
    }
    return keys;
}

/* ZeroMQ's client does not connect again after a refusal, so one event is enough. */
static void wrong_key(void)
{
    struct keys *keys = read_keys();
    struct client client;

    call(&client, port, keys);
    if (await_event(&client, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                                 ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                 ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                 ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) ==
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
        give_up("the server accepted the key");
    hang_up(&client);
    keys_close(keys);
}

/* A permitted peer that sends no msgpack. */
static void rubbish(void)
{
    struct keys *keys = read_keys();
    struct client client;

    call(&client, port, keys);
    zmq_send(client.socket, "\xc1 is no msgpack", 15, 0);
    await_event(&client, ZMQ_EVENT_DISCONNECTED);
    hang_up(&client);
    keys_close(keys);
}

/* Holds one connection more than a key may have, until it is killed. Every other
 * connection gets its reply. */
static void crowd(void)
{
    struct keys *keys = read_keys();
    struct link_hub *hub = link_hub_create();
    char endpoint[64];
    struct link_options options = {
        .endpoint = endpoint, .kind = LINK_CONTROL, .keys = keys};
    struct incoming in;
    struct link *link;
    struct err err;

    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", (unsigned)port);
    for (int i = 0; i <= CONNECTIONS_PER_KEY; i++) {
        if (link_client_open(&link, hub, &options, &err) < 0 ||
            link_wait_connected(link, TIMEOUT_MS, &err) < 0 ||
            link_send(link, NULL, MSG_LIST_JOBS, &(struct msg_list_jobs){0}, &err) <
                0 ||
            (i < CONNECTIONS_PER_KEY &&
             link_wait_receive(link, &in, TIMEOUT_MS, &err) < 0)) {
            fprintf(stderr, "unauthorized_peer: connection %d: %s\n", i, err.text);
            exit(1);
        }
    }
    for (;;)
        pause();
}

/* An attacker in the network: repeats the frame of a permitted peer */

static int listen_at(uint16_t *at)
{
    struct sockaddr_in us = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(us);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&us, sizeof(us)) < 0 ||
        listen(fd, 4) < 0 || getsockname(fd, (struct sockaddr *)&us, &size) < 0)
        give_up("listening");
    *at = ntohs(us.sin_port);
    return fd;
}

/* Copies bytes from one socket to the other, and message frames a second time if twice.
 * Returns false when the connection was closed. */
static bool pass_on(int from, int to, bool twice)
{
    static const char mark[] = "\x07MESSAGE";
    char bytes[65536];
    ssize_t size = read(from, bytes, sizeof(bytes));

    if (size <= 0)
        return false;
    say(to, bytes, (size_t)size);
    if (twice && memmem(bytes, (size_t)size, mark, sizeof(mark) - 1))
        say(to, bytes, (size_t)size);
    return true;
}

static void replay(void)
{
    struct keys *keys = read_keys();
    struct client client;
    uint16_t at;
    int listener = listen_at(&at);

    call(&client, at, keys);
    zmq_send(client.socket, "\x82\xa4type\x02\xa6run_id\x00", 15, 0); /* a heartbeat */
    int permitted = accept(listener, NULL, NULL), server = dial();
    struct pollfd both[] = {{.fd = permitted, .events = POLLIN},
                            {.fd = server, .events = POLLIN}};
    for (bool on = true; on;) {
        if (poll(both, COUNT(both), TIMEOUT_MS) <= 0)
            give_up("the server accepted a repeated frame");
        if (both[0].revents)
            on = pass_on(permitted, server, true);
        if (on && both[1].revents)
            on = pass_on(server, permitted, false);
    }
    close(permitted);
    close(server);
    close(listener);
    hang_up(&client);
    keys_close(keys);
}

static const struct {
    const char *name;
    void (*go)(void);
} ways[] = {
    {"garbage", garbage},     {"giant", giant},     {"no-key", no_key},
    {"wrong-key", wrong_key}, {"rubbish", rubbish}, {"crowd", crowd},
    {"replay", replay},
};

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 6)
        return 2;
    port = (uint16_t)strtoul(argv[1], NULL, 10);
    key_file = argc == 6 ? argv[4] : NULL;
    server_file = argc == 6 ? argv[5] : NULL;
    for (size_t i = 0; i < COUNT(ways); i++) {
        if (strcmp(ways[i].name, argv[2]) != 0)
            continue;
        for (long n = strtol(argv[3], NULL, 10); n > 0; n--)
            ways[i].go();
        return 0;
    }
    return 2;
}
