/* socket_settings.h - how the sockets of links are set: bounds, patience, keys */
#ifndef LIB_WIRE_SOCKET_SETTINGS_H
#define LIB_WIRE_SOCKET_SETTINGS_H

#include <stdbool.h>

#include "lib/base/err.h"

struct link_options;

/* Before the socket is bound or connected. */
int socket_settings_apply(void *socket,
                          const struct link_options *options,
                          bool is_server,
                          struct err *err);

#endif
