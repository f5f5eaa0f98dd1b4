/* running_coordinator.h - the coordinator of a private run that goes on, maybe in
 * another terminal */
#ifndef CLI_FLEET_RUNNING_COORDINATOR_H
#define CLI_FLEET_RUNNING_COORDINATOR_H

#include <stdbool.h>

#include "cli/query/client.h"

/* Where none is named: the one of the private fleet that has the store below this
 * folder of results. True when it is that one now; what is set is good until it is
 * looked for again. */
bool running_coordinator_find(struct client_options *options, const char *out_folder);
/* The same, and opens it; what is named as ever. */
int running_coordinator_open(struct client **client,
                             struct client_options *options,
                             const char *out_folder,
                             struct err *err);

/* Somebody still has the store below this folder of results. */
bool running_coordinator_is(const char *out_folder);

#endif
