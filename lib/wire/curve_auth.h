/* curve_auth.h - stands at the door of a CURVE server and reads the allow-list
 *
 * ZeroMQ asks it (ZAP, RFC 27) about each client that connects. While nobody asks for
 * the answers, nobody comes in: so it must be created before a server is bound. */
#ifndef LIB_WIRE_CURVE_AUTH_H
#define LIB_WIRE_CURVE_AUTH_H

#include "lib/base/err.h"

struct guard;
struct keys;
struct reactor;

struct refusals;

/* Borrows all of them. Who comes in has his key as the User-Id of his messages. */
int guard_create(struct guard **out,
                 void *context,
                 const struct keys *keys,
                 struct refusals *refusals,
                 struct reactor *reactor,
                 struct err *err);
void guard_destroy(struct guard *guard); /* NULL is welcome */

#endif
