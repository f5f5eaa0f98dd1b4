/* settings.h - how the sockets of links are set: bounds, patience, keys */
#ifndef WIRE_SETTINGS_H
#define WIRE_SETTINGS_H

#include <stdbool.h>

#include "base/err.h"

struct link_options;

/* Before the socket is bound or connected. */
int settings_apply(void *socket,
                   const struct link_options *options,
                   bool is_server,
                   struct err *err);

#endif
