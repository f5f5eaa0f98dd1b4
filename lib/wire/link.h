/* link.h - the sockets on which the messages travel
 *
 * The coordinator opens servers (ROUTER), workers and the CLI open clients (DEALER).
 * An endpoint is ipc:///absolute/path or tcp://HOST:PORT. An ipc socket is a file of
 * mode 0600 in a folder that is ours. Plain tcp is for loopback; elsewhere a link has
 * CURVE keys (keys.h), or somebody said `insecure`.
 *
 * Nothing blocks but what says so in its name. What was sent may be lost with the
 * connection: whoever needs an answer says it again. A struct link_hub is one a
 * program; its links are closed before it. One thread. */
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
    LINK_SILENCE_HEARTBEATS = 4, /* silent for longer is lost */
};

/* Who is at the other end of a server; as good as the connection. */
struct peer {
    uint8_t size; /* 0: nobody, or a client's one server */
    uint8_t bytes[255];
};

bool peer_is_same(const struct peer *a, const struct peer *b);

/* Who said it, by his key. Without keys nobody but us can reach the socket, or somebody
 * wanted it `insecure`: then he may do everything, and has no name. */
struct caller {
    enum role roles;
    const char *name; /* "" or a name of the allow-list */
};

/* What came. It borrows from its link until the next receive on that link. */
struct incoming {
    struct peer peer;
    struct caller caller;
    const struct message *kind; /* NULL: nothing came */
    union any_message message;
};

struct link_hub *link_hub_create(void);
void link_hub_destroy(struct link_hub *hub);        /* NULL is welcome */
void *link_hub_context(const struct link_hub *hub); /* ZeroMQ's, for sockets within */
/* Who was turned away by its servers. */
struct refusals *link_hub_refusals(const struct link_hub *hub);
/* Servers that open from now on are watched in turns of the reactor. */
void link_hub_watch(struct link_hub *hub, struct reactor *reactor);
/* From now on only clients with these keys come through; before any server with
 * CURVE opens. The answers are given in turns of the reactor. */
int link_hub_guard(struct link_hub *hub,
                   const struct keys *keys,
                   struct reactor *reactor,
                   struct err *err);

int link_server_open(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     struct err *err);
/* Connects when it can, and again when it must. */
int link_client_open(struct link **out,
                     struct link_hub *hub,
                     const struct link_options *options,
                     struct err *err);
/* NULL is welcome; waits for a second at most. A client says bye. */
void link_close(struct link *link);

void *link_socket(const struct link *link); /* for the reactor */
/* Where it really is, when the port was left open (tcp://127.0.0.1:*). */
const char *link_endpoint(const struct link *link);

/* `to` is NULL for a client. ERR_UNREACHABLE: there is no such peer (any more), or no
 * connection yet. ERR_LIMIT: as much as may wait does wait; later perhaps. */
int link_send(struct link *link,
              const struct peer *to,
              enum message_type type,
              const void *message,
              struct err *err);
/* The same for what codec_pack() made. */
int link_send_packed(struct link *link,
                     const struct peer *to,
                     const void *packet,
                     size_t size,
                     struct err *err);

/* in->kind is NULL when nothing is there. -1: in->peer sent what cannot be used, which
 * is counted; who sent what is no message at all, or has lost his key, is cut off. */
int link_receive(struct link *link, struct incoming *in, struct err *err);

/* For programs without a loop. ERR_UNREACHABLE when nobody answered in time. */
int link_wait_connected(struct link *link, uint64_t timeout_ms, struct err *err);
/* ERR_TIMEOUT when nothing came in time. */
int link_wait_receive(struct link *link,
                      struct incoming *in,
                      uint64_t timeout_ms,
                      struct err *err);

#endif
