/* permissions.h - what the holder of a key may say to a coordinator
 *
 * A row a message; what has none is for nobody. */
#ifndef COORDINATOR_NET_PERMISSIONS_H
#define COORDINATOR_NET_PERMISSIONS_H

#include <stdbool.h>

#include "lib/wire/messages.h"
#include "lib/wire/role.h"

bool permissions_allow(enum role roles, enum message_type type);

#endif
