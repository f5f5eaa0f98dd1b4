#include "lib/wire/link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"
#include "lib/wire/curve_auth.h"
#include "lib/wire/endpoint.h"
#include "lib/wire/frame.h"
#include "lib/wire/handshake_monitor.h"
#include "lib/wire/keys.h"
#include "lib/wire/refusals/connections.h"
#include "lib/wire/refusals/peer_address.h"
#include "lib/wire/refusals/refusals.h"
#include "lib/wire/socket_settings.h"

enum { DESCRIPTORS = 8 }; /* of the first socket of a process, with its threads */

struct link_hub {
    void *context;
    struct curve_auth *auth;
    struct refusals *refusals;
    struct reactor *monitor_reactor; /* NULL: servers are not monitored */
};

struct link {
    void *socket;
    bool is_server;
    const struct keys *keys; /* of a server */
    bool has_keys;
    struct refusals *refusals;
    struct handshake_monitor *monitor; /* NULL: none */
    char endpoint[256];
    uint64_t broken_since_ms; /* of a client; 0: connected at the last check */
    void *context, *events;   /* of link_revive() */
    bool is_connected;
    struct text packed;      /* message to send */
    zmq_msg_t received;      /* packet of the last `incoming` */
    struct codec_zone *zone; /* texts and lists of the last `incoming` */
};

bool peer_is_same(const struct peer *a, const struct peer *b)
{
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

struct link_hub *link_hub_create(void)
{
    struct link_hub *hub = xcalloc(1, sizeof(*hub));

    hub->context = zmq_ctx_new();
    if (!hub->context)
        abort(); /* out of memory or descriptors at the start of the program */
    hub->refusals = refusals_create();
    return hub;
}

void link_hub_destroy(struct link_hub *hub)
{
    if (!hub)
        return;
    curve_auth_destroy(hub->auth);
    while (zmq_ctx_term(hub->context) < 0 && errno == EINTR)
        continue;
    refusals_destroy(hub->refusals);
    free(hub);
}

void *link_hub_context(const struct link_hub *hub)
{
    return hub->context;
}

struct refusals *link_hub_refusals(const struct link_hub *hub)
{
    return hub->refusals;
}

void link_hub_monitor(struct link_hub *hub, struct reactor *reactor)
{
    hub->monitor_reactor = reactor;
}

int link_hub_require_keys(struct link_hub *hub,
                          const struct keys *keys,
                          struct reactor *reactor,
                          struct err *err)
{
    return curve_auth_create(&hub->auth, hub->context, keys, hub->refusals, reactor,
                             err);
}

/* Opening and closing */

static int bind_server(struct link *link, const char *endpoint, struct err *err)
{
    const char *path = text_has_prefix(endpoint, "ipc://") ? endpoint + 6 : NULL;

    if (path && endpoint_claim_folder(path, err) < 0)
        return -1;
    mode_t old = umask(0177); /* the socket is never accessible to other users */
    int failed = zmq_bind(link->socket, endpoint);
    umask(old);
    if (failed && errno == ENODEV)
        return err_set(err, ERR_INPUT,
                       "no address or interface of this host has this name; write "
                       "tcp://ADDRESS:PORT, or tcp://*:PORT for all addresses");
    if (failed)
        return err_set(err, ERR_SYSTEM, "%s", zmq_strerror(errno));
    if (path && chmod(path, 0600) < 0)
        return err_errno(err, "chmod %s", path);
    return 0;
}

/* Other users can reach TCP sockets only. */
static int monitor_server(struct link *link,
                          struct link_hub *hub,
                          const struct link_options *options,
                          struct err *err)
{
    if (!hub->monitor_reactor || !text_has_prefix(options->endpoint, "tcp://"))
        return 0;
    return handshake_monitor_create(&link->monitor, hub->context, link->socket,
                                    options->endpoint, options->kind == LINK_DATA,
                                    hub->refusals, hub->monitor_reactor, err);
}

static int open_link(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     bool is_server,
                     struct err *err)
{
    struct link *link = xcalloc(1, sizeof(*link));
    char endpoint[sizeof(link->endpoint)];

    link->is_server = is_server;
    link->keys = is_server ? options->keys : NULL;
    link->has_keys = options->keys != NULL;
    link->refusals = hub->refusals;
    link->context = hub->context;
    link->zone = codec_zone_create();
    zmq_msg_init(&link->received);
    if (endpoint_check(options->endpoint, options->keys || options->insecure, err) < 0)
        goto fail;
    /* ZeroMQ ends the program when it cannot open the descriptors of its threads */
    if (fd_check_free(DESCRIPTORS, err) < 0)
        goto fail;
    endpoint_resolve(endpoint, sizeof(endpoint), options->endpoint);
    /* without authentication ZeroMQ admits all keys */
    if (is_server && options->keys && !hub->auth) {
        err_set(err, ERR_INTERNAL, "a server with keys needs link_hub_require_keys()");
        goto fail;
    }
    link->socket = zmq_socket(hub->context, is_server ? ZMQ_ROUTER : ZMQ_DEALER);
    if (!link->socket) {
        err_set(err, ERR_SYSTEM, "creating a socket: %s", zmq_strerror(errno));
        goto fail;
    }
    if (socket_settings_apply(link->socket, options, is_server, err) < 0)
        goto fail;
    if (is_server && monitor_server(link, hub, options, err) < 0)
        goto fail;
    if (is_server && bind_server(link, endpoint, err) < 0)
        goto fail;
    if (!is_server && zmq_connect(link->socket, endpoint) < 0) {
        err_set(err, ERR_SYSTEM, "%s", zmq_strerror(errno));
        goto fail;
    }
    size_t size = sizeof(link->endpoint);
    zmq_getsockopt(link->socket, ZMQ_LAST_ENDPOINT, link->endpoint, &size);
    *out = link;
    return 0;

fail:
    link_close(link);
    return err_wrap(err, "%s %s", is_server ? "serving at" : "connecting to",
                    options->endpoint);
}

int link_server_open(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     struct err *err)
{
    return open_link(out, hub, options, true, err);
}

int link_client_open(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     struct err *err)
{
    return open_link(out, hub, options, false, err);
}

static bool can_send(const struct link *link)
{
    zmq_pollitem_t item = {.socket = link->socket, .events = ZMQ_POLLOUT};

    return zmq_poll(&item, 1, 0) > 0;
}

/* Reads the events of the connection since the last call. Without them a full queue
 * looks like a broken connection. Returns false while ZeroMQ connects. */
static bool is_connected(struct link *link)
{
    uint16_t event;
    char at[64];

    if (!link->events) {
        snprintf(at, sizeof(at), "inproc://link-%p", (void *)link);
        link->events = zmq_socket(link->context, ZMQ_PAIR);
        if (!link->events ||
            zmq_socket_monitor(link->socket, at,
                               ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED) <
                0 ||
            zmq_connect(link->events, at) < 0)
            return can_send(link);
    }
    while (zmq_recv(link->events, &event, sizeof(event), ZMQ_DONTWAIT) >= 0) {
        zmq_recv(link->events, NULL, 0, ZMQ_DONTWAIT); /* the endpoint */
        link->is_connected = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    }
    link->is_connected |= can_send(link); /* also connected before the first event */
    return link->is_connected;
}

void link_revive(struct link *link, uint64_t now_ms)
{
    if (is_connected(link)) {
        link->broken_since_ms = 0;
        return;
    }
    if (link->broken_since_ms == 0)
        link->broken_since_ms = now_ms;
    if (now_ms - link->broken_since_ms < LINK_REVIVE_MS)
        return;
    link->broken_since_ms = now_ms;
    zmq_disconnect(link->socket, link->endpoint); /* fails when ZeroMQ gave up */
    zmq_connect(link->socket, link->endpoint);    /* the next call tries again */
}

/* Sends the bye only when the connection is complete. */
static void send_bye(struct link *link)
{
    const struct msg_bye bye = {(uint64_t)getpid()};

    text_reset(&link->packed);
    codec_pack(&link->packed, MSG_BYE, &bye);
    zmq_send(link->socket, link->packed.bytes, link->packed.length, ZMQ_DONTWAIT);
}

void link_close(struct link *link)
{
    if (!link)
        return;
    handshake_monitor_destroy(link->monitor);
    if (link->socket && !link->is_server)
        send_bye(link);
    if (link->events) {
        zmq_socket_monitor(link->socket, NULL, 0);
        zmq_close(link->events);
    }
    if (link->socket)
        zmq_close(link->socket);
    zmq_msg_close(&link->received);
    codec_zone_destroy(link->zone);
    text_clear(&link->packed);
    free(link);
}

void *link_socket(const struct link *link)
{
    return link->socket;
}

const char *link_endpoint(const struct link *link)
{
    return link->endpoint;
}

/* Sending and receiving */

static int set_send_error(struct link *link, struct err *err)
{
    int number = errno;

    if (number == EAGAIN && !link->is_server && fd_check_free(1, err) < 0)
        return err_wrap(err, "connecting to %s", link->endpoint);
    if (number == EHOSTUNREACH)
        return err_set(err, ERR_UNREACHABLE, "the peer is not connected");
    if (number == EAGAIN && link->is_server)
        return err_set(err, ERR_LIMIT, "the peer does not read its messages");
    if (number == EAGAIN)
        return err_set(err, ERR_UNREACHABLE,
                       "no coordinator reads messages at %s; start "
                       "muster-coordinator or check --coordinator",
                       link->endpoint);
    return err_set(err, ERR_SYSTEM, "sending: %s", zmq_strerror(number));
}

/* ZeroMQ checks only once a millisecond whether a peer has read. Reading ZMQ_EVENTS
 * makes it check at once, so a fast sender does not see a queue as full by mistake. */
static void check_for_room(struct link *link)
{
    int events;
    size_t events_size = sizeof(events);

    zmq_getsockopt(link->socket, ZMQ_EVENTS, &events, &events_size);
}

static int send_frame(struct link *link, const void *bytes, size_t size, int flags)
{
    int sent = zmq_send(link->socket, bytes, size, flags | ZMQ_DONTWAIT);

    if (sent >= 0 || errno != EAGAIN)
        return sent;
    check_for_room(link);
    return zmq_send(link->socket, bytes, size, flags | ZMQ_DONTWAIT);
}

int link_send_packed(struct link *link,
                     const struct peer *to,
                     const void *packet,
                     size_t size,
                     struct err *err)
{
    if (link->is_server && send_frame(link, to->bytes, to->size, ZMQ_SNDMORE) < 0)
        return set_send_error(link, err);
    if (send_frame(link, packet, size, 0) < 0)
        return set_send_error(link, err);
    return 0;
}

int link_send_lent(struct link *link,
                   const struct peer *to,
                   void *packet,
                   size_t size,
                   link_done_fn *done,
                   void *arg,
                   struct err *err)
{
    zmq_msg_t frame;
    int sent;

    if (zmq_msg_init_data(&frame, packet, size, done, arg) < 0) {
        done(packet, arg);
        return err_set(err, ERR_NO_RESOURCE, "no memory for a message");
    }
    sent = link->is_server ? send_frame(link, to->bytes, to->size, ZMQ_SNDMORE) : 0;
    if (sent >= 0) {
        sent = zmq_msg_send(&frame, link->socket, ZMQ_DONTWAIT);
        if (sent < 0 && errno == EAGAIN) {
            check_for_room(link);
            sent = zmq_msg_send(&frame, link->socket, ZMQ_DONTWAIT);
        }
    }
    if (sent >= 0)
        return 0;
    set_send_error(link, err);
    zmq_msg_close(&frame);
    return -1;
}

int link_send(struct link *link,
              const struct peer *to,
              enum message_type type,
              const void *message,
              struct err *err)
{
    text_reset(&link->packed);
    codec_pack(&link->packed, type, message);
    return link_send_packed(link, to, link->packed.bytes, link->packed.length, err);
}

/* Closes the connection of the received message. ZeroMQ has no call for this, so the
 * descriptor is shut down. The peer may connect again. Earlier messages of this
 * connection are still received.
 *
 * When the connection has ended meanwhile, its descriptor may belong to another one. A
 * connection from another address is therefore left alone. */
static void disconnect_sender(struct link *link)
{
    int fd = zmq_msg_get(&link->received, ZMQ_SRCFD);

    if (link->is_server && fd >= 0 &&
        peer_address_is(fd, zmq_msg_gets(&link->received, "Peer-Address")))
        shutdown(fd, SHUT_RDWR);
}

static void refuse(struct link *link, const char *name, enum refusal why)
{
    const char *address = zmq_msg_gets(&link->received, "Peer-Address");

    refusals_add(link->refusals, why, *name ? name : address ? address : "unknown");
    if (why != REFUSAL_MESSAGE)
        disconnect_sender(link);
}

/* ZeroMQ delivers all parts of a message, so further parts are received and dropped.
 * Returns true when there were any. */
static bool drop_further_parts(struct link *link)
{
    bool dropped = false;

    while (zmq_msg_more(&link->received)) {
        dropped = true;
        if (zmq_msg_recv(&link->received, link->socket, ZMQ_DONTWAIT) < 0)
            break;
    }
    return dropped;
}

/* Returns 1 when a packet is in link->received, 0 when none waits. */
static int
receive_packet(struct link *link, struct peer *peer, int flags, struct err *err)
{
    peer->size = 0;
    if (link->is_server) {
        int size = zmq_recv(link->socket, peer->bytes, sizeof(peer->bytes), flags);

        if (size < 0)
            return errno == EAGAIN || errno == EINTR
                       ? 0
                       : err_set(err, ERR_SYSTEM, "receiving: %s", zmq_strerror(errno));
        peer->size = (uint8_t)size; /* ZeroMQ allows 255 */
    }
    if (zmq_msg_recv(&link->received, link->socket, flags) < 0)
        return errno == EAGAIN || errno == EINTR
                   ? 0
                   : err_set(err, ERR_SYSTEM, "receiving: %s", zmq_strerror(errno));
    if (drop_further_parts(link)) {
        refuse(link, "", REFUSAL_MALFORMED);
        return err_set(err, ERR_INPUT, "the message has several parts; one is allowed");
    }
    return 1;
}

/* Returns a number for a key that is not 0. Keys are random, so their first characters
 * differ. */
static uint32_t number_of_key(const char *key)
{
    uint32_t number = 0;

    for (size_t i = 0; i < 8 && key[i]; i++)
        number = number * 31 + (unsigned char)key[i];
    return number ? number : 1;
}

/* Returns false when the sender's key is not on the allow-list any more. */
static bool find_caller(struct link *link, struct caller *caller, uint32_t *key_number)
{
    const struct key_holder *holder;
    const char *key;

    *caller = (struct caller){ROLE_ALL, ""};
    *key_number = 0;
    if (!link->keys)
        return true;
    key = zmq_msg_gets(&link->received, "User-Id");
    holder = key ? keys_find(link->keys, key) : NULL;
    if (!holder)
        return false;
    *caller = (struct caller){holder->role, holder->name};
    *key_number = holder->role == ROLE_WORKER ? 0 : number_of_key(key);
    return true;
}

/* A message of another version can be unknown; it is valid msgpack all the same. */
static bool is_msgpack(struct link *link)
{
    struct err ignored;

    return frame_check(zmq_msg_data(&link->received), zmq_msg_size(&link->received),
                       &frame_limits_default, &ignored) == 0;
}

/* Refuses the message of a key that has too many connections. */
static int
check_connections(struct link *link, const struct incoming *in, struct err *err)
{
    if (!link->monitor)
        return 0;
    int fd = zmq_msg_get(&link->received, ZMQ_SRCFD); /* slow: ZeroMQ parses a text */
    if (handshake_monitor_received(link->monitor, fd, in->peer.key))
        return 0;
    refuse(link, in->caller.name, REFUSAL_CONNECTIONS);
    return err_set(err, ERR_LIMIT, "the key has more than %d connections; close some",
                   CONNECTIONS_PER_KEY);
}

static int
receive_one(struct link *link, struct incoming *in, int flags, struct err *err)
{
    in->kind = NULL;
    int got = receive_packet(link, &in->peer, flags, err);
    if (got <= 0)
        return got;
    if (!find_caller(link, &in->caller, &in->peer.key)) {
        refuse(link, "", REFUSAL_WITHDRAWN);
        return err_set(err, ERR_DENIED,
                       "the key of this peer was removed from the allow-list");
    }
    if (codec_unpack(&in->kind, &in->message, zmq_msg_data(&link->received),
                     zmq_msg_size(&link->received), link->zone, err) < 0) {
        refuse(link, in->caller.name,
               is_msgpack(link) ? REFUSAL_MESSAGE : REFUSAL_MALFORMED);
        return -1;
    }
    return in->kind->type == MSG_BYE ? 0 : check_connections(link, in, err);
}

/* The link itself handles each bye, and returns the next message. */
static int receive(struct link *link, struct incoming *in, int flags, struct err *err)
{
    while (receive_one(link, in, flags, err) == 0) {
        if (!in->kind || in->kind->type != MSG_BYE)
            return 0;
        if (link->monitor)
            handshake_monitor_received_bye(link->monitor,
                                           zmq_msg_get(&link->received, ZMQ_SRCFD));
        flags = ZMQ_DONTWAIT;
    }
    return -1;
}

int link_receive(struct link *link, struct incoming *in, struct err *err)
{
    return receive(link, in, ZMQ_DONTWAIT, err);
}

static bool wait_for(struct link *link, short events, uint64_t until_ms)
{
    zmq_pollitem_t item = {.socket = link->socket, .events = events};
    uint64_t now = clock_mono_ms();

    return zmq_poll(&item, 1, until_ms > now ? (long)(until_ms - now) : 0) > 0;
}

int link_wait_connected(struct link *link, uint64_t timeout_ms, struct err *err)
{
    if (wait_for(link, ZMQ_POLLOUT, clock_mono_ms() + timeout_ms))
        return 0;
    if (fd_check_free(1, err) < 0)
        return err_wrap(err, "connecting to %s", link->endpoint);
    if (endpoint_has_listener(link->endpoint))
        return err_set(
            err, ERR_UNREACHABLE,
            "%s is open, but no coordinator accepts a connection %s", link->endpoint,
            link->has_keys ? "with these keys; its list of allowed keys must have the "
                             "one of --key, and --server-key must be its own"
                           : "without a key; pass --key and --server-key, or check "
                             "the endpoint");
    return err_set(err, ERR_UNREACHABLE,
                   "no coordinator accepts a connection at %s; start "
                   "muster-coordinator, or check the endpoint and the keys",
                   link->endpoint);
}

/* Blocks in ZeroMQ, which costs less than polling its socket. */
static int
receive_blocking(struct link *link, struct incoming *in, uint64_t ms, struct err *err)
{
    int timeout_ms = ms < INT_MAX ? (int)ms : INT_MAX;

    zmq_setsockopt(link->socket, ZMQ_RCVTIMEO, &timeout_ms, sizeof(timeout_ms));
    return receive(link, in, 0, err);
}

int link_wait_receive(struct link *link,
                      struct incoming *in,
                      uint64_t timeout_ms,
                      struct err *err)
{
    if (link_receive(link, in, err) < 0)
        return -1;
    if (in->kind)
        return 0;
    for (uint64_t now = clock_mono_ms(), until = now + timeout_ms; now < until;
         now = clock_mono_ms()) {
        if (receive_blocking(link, in, until - now, err) < 0)
            return -1;
        if (in->kind)
            return 0;
    }
    return err_set(err, ERR_TIMEOUT, "no answer from %s within %llu ms", link->endpoint,
                   (unsigned long long)timeout_ms);
}
