/* permissions.h - which role may send which message to a coordinator
 *
 * The table in permissions.c has a row per message. No role may send other messages. */
#ifndef COORDINATOR_NET_PERMISSIONS_H
#define COORDINATOR_NET_PERMISSIONS_H

#include <stdbool.h>

#include "lib/wire/messages.h"
#include "lib/wire/role.h"

/* Returns true when one of `roles` may send this type of message. */
bool permissions_allow(enum role roles, enum message_type type);

#endif
