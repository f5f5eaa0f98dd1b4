/* curve_auth.h - answers ZeroMQ's authentication requests from the allow-list
 *
 * ZeroMQ sends a request (ZAP, RFC 27) for each client that connects to a CURVE server.
 * Until the reactor answers it, the client is not connected. Create this before a
 * server is bound: without a handler ZeroMQ admits every key. */
#ifndef LIB_WIRE_CURVE_AUTH_H
#define LIB_WIRE_CURVE_AUTH_H

#include "lib/base/err.h"

struct curve_auth;
struct keys;
struct reactor;
struct refusals;

/* Borrows all objects. The messages of an admitted client have its key as User-Id. */
int curve_auth_create(struct curve_auth **out,
                      void *context,
                      const struct keys *keys,
                      struct refusals *refusals,
                      struct reactor *reactor,
                      struct err *err);
void curve_auth_destroy(struct curve_auth *auth); /* NULL is allowed */

#endif
