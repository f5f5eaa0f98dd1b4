/* connections.h - counts connections of a server that end before or without a message
 *
 * The events of a server socket arrive in their order: accepted, then the result of the
 * handshake, then disconnected. Messages are read later than events. This module uses
 * no sockets and no clock. */
#ifndef LIB_WIRE_REFUSALS_CONNECTIONS_H
#define LIB_WIRE_REFUSALS_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct connections;
struct refusals;

/* Borrows the refusals. `may_be_silent`: a peer may connect and send nothing. */
struct connections *
connections_create(const char *endpoint, bool may_be_silent, struct refusals *refusals);
void connections_destroy(struct connections *connections); /* NULL is allowed */

/* Events. The kernel reuses descriptors after a connection has ended. */
void connections_accepted(struct connections *connections, uint32_t fd);
void connections_succeeded(struct connections *connections, uint32_t ignored);
/* The key is not on the allow-list; curve_auth.c has counted the refusal. */
void connections_rejected(struct connections *connections, uint32_t ignored);
void connections_disconnected(struct connections *connections, uint32_t fd);

bool connections_is_understood(struct connections *connections, uint32_t fd);
/* A valid message of this connection was read, or a bye. */
void connections_received(struct connections *connections, uint32_t fd);
/* Counts the open connection for this key. Returns false when the key has
 * CONNECTIONS_PER_KEY other ones; key 0 has no limit. */
enum { CONNECTIONS_PER_KEY = 256 };
bool connections_add_key(struct connections *connections, uint32_t fd, uint32_t key);
void connections_received_bye(struct connections *connections);
/* Counts connections that ended without a bye before the previous tick: a bye may still
 * wait in the socket after the end of its connection. */
void connections_tick(struct connections *connections);

#endif
