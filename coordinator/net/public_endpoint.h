/* public_endpoint.h - the endpoints of the coordinator as other hosts use them */
#ifndef COORDINATOR_NET_PUBLIC_ENDPOINT_H
#define COORDINATOR_NET_PUBLIC_ENDPOINT_H

#include "lib/base/err.h"

struct link;

/* Replaces the host of a tcp endpoint: by `host`, or when `host` is NULL and the
 * endpoint is tcp://0.0.0.0:PORT, by the name of this host. free() the result. */
char *public_endpoint_of(const char *endpoint, const char *host);
/* Writes both endpoints to a file, one per line, for a parent process that let the
 * system choose the ports. */
int public_endpoint_announce(const char *path,
                             const struct link *control,
                             const struct link *data,
                             struct err *err);
#endif
