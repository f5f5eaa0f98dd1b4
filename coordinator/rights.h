/* rights.h - what the holder of a key may say to a coordinator
 *
 * A row a message; what has none is for nobody. */
#ifndef COORDINATOR_RIGHTS_H
#define COORDINATOR_RIGHTS_H

#include <stdbool.h>

#include "lib/wire/messages.h"
#include "lib/wire/role.h"

bool rights_allow(enum role roles, enum message_type type);

#endif
