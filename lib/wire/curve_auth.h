/* curve_auth.h - stands at the door of a CURVE server and reads the allow-list
 *
 * ZeroMQ asks it (ZAP, RFC 27) about each client that connects. While nobody asks for
 * the answers, nobody comes in: so it must be created before a server is bound. */
#ifndef LIB_WIRE_CURVE_AUTH_H
#define LIB_WIRE_CURVE_AUTH_H

#include "lib/base/err.h"

struct curve_auth;
struct keys;
struct reactor;

struct refusals;

/* Borrows all of them. Who comes in has his key as the User-Id of his messages. */
int curve_auth_create(struct curve_auth **out,
                      void *context,
                      const struct keys *keys,
                      struct refusals *refusals,
                      struct reactor *reactor,
                      struct err *err);
void curve_auth_destroy(struct curve_auth *guard); /* NULL is welcome */

#endif
