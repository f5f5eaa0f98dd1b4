/* handshake_monitor.h - counts connections that ZeroMQ itself closes at one server
 *
 * ZeroMQ closes a connection that sends garbage, a frame that is too large, or a frame
 * before the handshake. Its monitor events name neither the peer nor always the reason.
 * Therefore a connection counts as cut off when it ends before a message was
 * understood. On a data socket, where a peer without data is silent, only an end during
 * the handshake counts.
 *
 * A peer whose messages were understood sends `bye` before it disconnects. When the bye
 * is missing, the program or the network failed, or ZeroMQ rejected a frame; the
 * connection counts as broken off. */
#ifndef LIB_WIRE_HANDSHAKE_MONITOR_H
#define LIB_WIRE_HANDSHAKE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct reactor;
struct refusals;
struct handshake_monitor;

/* Borrows all objects. Create it before the socket is bound, and destroy it before the
 * socket is closed. */
int handshake_monitor_create(struct handshake_monitor **out,
                             void *context,
                             void *server,
                             const char *endpoint, /* counts as the peer's name */
                             bool may_be_silent,   /* a data socket */
                             struct refusals *refusals,
                             struct reactor *reactor,
                             struct err *err);
void handshake_monitor_destroy(struct handshake_monitor *monitor); /* NULL is allowed */

/* Call this for each understood message; fd is the connection's ZMQ_SRCFD, `key` the
 * number of its key. Returns false when this key has more than CONNECTIONS_PER_KEY
 * connections that sent a message; key 0 has no limit. */
bool handshake_monitor_received(struct handshake_monitor *monitor,
                                int fd,
                                uint32_t key);
/* Call this for a bye. */
void handshake_monitor_received_bye(struct handshake_monitor *monitor, int fd);

#endif
