/* public_endpoint.h - where the coordinator is reached, as others write it */
#ifndef COORDINATOR_NET_PUBLIC_ENDPOINT_H
#define COORDINATOR_NET_PUBLIC_ENDPOINT_H

#include "lib/base/err.h"

struct link;

/* tcp://0.0.0.0:7701 as another host would write it; `host` instead of our name, or
 * NULL. free() it. */
char *endpoint_as_reached(const char *endpoint, const char *host);
/* Both into this file, for whoever started us and left the ports open. */
int public_endpoint_announce(const char *path,
                             const struct link *control,
                             const struct link *data,
                             struct err *err);
#endif
