/* socket_settings.h - options of a link's socket: limits, time limits, keys */
#ifndef LIB_WIRE_SOCKET_SETTINGS_H
#define LIB_WIRE_SOCKET_SETTINGS_H

#include <stdbool.h>

#include "lib/base/err.h"

struct link_options;

/* Call it before the socket is bound or connected. */
int socket_settings_apply(void *socket,
                          const struct link_options *options,
                          bool is_server,
                          struct err *err);

#endif
