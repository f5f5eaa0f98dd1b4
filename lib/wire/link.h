/* link.h - ZeroMQ sockets that send and receive messages
 *
 * The coordinator opens servers (ROUTER); workers and commands open clients (DEALER).
 * An ipc socket is a file with mode 0600 in a folder of this user. Plain TCP is
 * permitted on loopback only; a link to other hosts has CURVE keys (keys.h) or the
 * option `insecure`.
 *
 * Only functions with `wait` in their name block. A sent message can be lost with its
 * connection; a sender that needs an answer sends it again. A program has one struct
 * link_hub and closes all links before it destroys the hub. One thread. */
#ifndef LIB_WIRE_LINK_H
#define LIB_WIRE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/link_options.h"
#include "lib/wire/messages.h"
#include "lib/wire/role.h"

struct keys;
struct link;
struct link_hub;
struct reactor;
struct refusals;

enum {
    LINK_HEARTBEAT_MS = 1000,
    LINK_SILENCE_HEARTBEATS = 4, /* a longer silence means that the peer is lost */
    LINK_REVIVE_MS = 15000, /* time without a connection until link_revive() acts */
};

/* ZeroMQ's name of a connection to a server; it ends with the connection. */
struct peer {
    uint8_t size; /* 0: none; a client has only its server */
    uint8_t bytes[255];
    uint32_t key; /* the same for all connections of a client's key; 0: none, or a
                     worker's key, which all workers share */
};

bool peer_is_same(const struct peer *a, const struct peer *b);

/* Permissions of a sender, from its key. Without keys a sender has all roles and no
 * name: only this user can reach the socket, or the link is `insecure`. */
struct caller {
    enum role roles;
    const char *name; /* of the key in the allow-list, or "" */
};

/* A received message. It borrows from its link until the next receive on that link. */
struct incoming {
    struct peer peer;
    struct caller caller;
    const struct message *kind; /* NULL: no message */
    union any_message message;
};

struct link_hub *link_hub_create(void);
void link_hub_destroy(struct link_hub *hub);        /* NULL is allowed */
void *link_hub_context(const struct link_hub *hub); /* for inproc sockets */
/* Refused connections and messages of all servers. */
struct refusals *link_hub_refusals(const struct link_hub *hub);
/* Servers that open from now on count the connections that ZeroMQ closes. */
void link_hub_monitor(struct link_hub *hub, struct reactor *reactor);
/* Admits only clients with these keys. Call it before a server with CURVE opens. The
 * reactor answers the authentication requests. */
int link_hub_require_keys(struct link_hub *hub,
                          const struct keys *keys,
                          struct reactor *reactor,
                          struct err *err);

int link_server_open(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     struct err *err);
/* Connects in the background, and reconnects after each lost connection. */
int link_client_open(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     struct err *err);
/* Connects a client again that has had no usable connection for LINK_REVIVE_MS. ZeroMQ
 * itself tries again when a connection breaks, but never after a refused key or after
 * bytes that break its protocol. Call it regularly. */
void link_revive(struct link *link, uint64_t now_ms);
/* NULL is allowed. A client sends bye. Unsent messages are kept for one second. */
void link_close(struct link *link);

void *link_socket(const struct link *link); /* for the reactor */
/* Returns the endpoint with the real port, for tcp://127.0.0.1:*. */
const char *link_endpoint(const struct link *link);

/* `to` is NULL for a client. Returns ERR_UNREACHABLE when the peer is not connected,
 * and ERR_LIMIT when the queue to the peer is full; then the caller may try again
 * later. */
int link_send(struct link *link,
              const struct peer *to,
              enum message_type type,
              const void *message,
              struct err *err);
/* Sends bytes that codec_pack() wrote. */
int link_send_packed(struct link *link,
                     const struct peer *to,
                     const void *packet,
                     size_t size,
                     struct err *err);

/* As link_send_packed(), without a copy. ZeroMQ owns the packet until it calls `done`,
 * from any thread, when it has written the packet to the connection or dropped it. A
 * packet that is not sent is given back with `done` before the return. */
typedef void link_done_fn(void *packet, void *arg);
int link_send_lent(struct link *link,
                   const struct peer *to,
                   void *packet,
                   size_t size,
                   link_done_fn *done,
                   void *arg,
                   struct err *err);

/* in->kind is NULL when no message waits. Returns -1 when in->peer sent an invalid
 * message, and counts the refusal. A peer is disconnected when it sent no msgpack
 * message, or when its key was withdrawn. */
int link_receive(struct link *link, struct incoming *in, struct err *err);

/* For programs without an event loop. Returns ERR_UNREACHABLE after timeout_ms. */
int link_wait_connected(struct link *link, uint64_t timeout_ms, struct err *err);
/* Returns ERR_TIMEOUT when no message arrived within timeout_ms. */
int link_wait_receive(struct link *link,
                      struct incoming *in,
                      uint64_t timeout_ms,
                      struct err *err);

#endif
