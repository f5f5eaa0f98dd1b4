/* writing_coordinator.h - the coordinator of a request that changes a store
 *
 * Only a coordinator writes to a store. The request goes to the named coordinator, or
 * to the one of the private run that is active in the folder of results. When there is
 * none, a coordinator without workers is started for this request. */
#ifndef CLI_FLEET_WRITING_COORDINATOR_H
#define CLI_FLEET_WRITING_COORDINATOR_H

#include "cli/query/client.h"
#include "lib/base/err.h"

struct private_fleet;

struct writing_coordinator {
    struct client *client;
    struct private_fleet *fleet; /* started for this request, or NULL */
};

/* Fills the options of the client, as running_coordinator_open() does. */
int writing_coordinator_open(struct writing_coordinator *coordinator,
                             struct client_options *options,
                             const char *out_folder,
                             struct err *err);
void writing_coordinator_close(struct writing_coordinator *coordinator);

#endif
