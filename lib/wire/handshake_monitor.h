/* handshake_monitor.h - sees what ZeroMQ turns away by itself at one server, and counts
 * it
 *
 * ZeroMQ cuts off who sends garbage, a frame that is too large or one that came before,
 * and tells its monitor little: neither who it was, nor always why. So a connection
 * that ends before it said anything we understood is counted, too. On a data socket,
 * where who has nothing to send is silent, only one that ended within its handshake. Of
 * those that were understood each says bye: where one is missing, a program or the wire
 * broke, or ZeroMQ did not like a frame. */
#ifndef LIB_WIRE_HANDSHAKE_MONITOR_H
#define LIB_WIRE_HANDSHAKE_MONITOR_H

#include <stdbool.h>

#include "lib/base/err.h"

struct reactor;
struct refusals;
struct handshake_monitor;

/* Borrows all; created before the socket is bound, destroyed before it is closed. */
int handshake_monitor_create(
    struct handshake_monitor **out,
    void *context,
    void *server,
    const char *endpoint, /* what it is called when it is told of */
    bool may_be_silent,
    struct refusals *refusals,
    struct reactor *reactor,
    struct err *err);
void handshake_monitor_destroy(struct handshake_monitor *watch); /* NULL is welcome */

/* A message that was understood came by this connection (ZMQ_SRCFD). */
void handshake_monitor_heard(struct handshake_monitor *watch, int fd);
/* And this one says that it ends. */
void handshake_monitor_said_bye(struct handshake_monitor *watch, int fd);

#endif
