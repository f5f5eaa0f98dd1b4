/* running_coordinator.h - finds the coordinator of a private run in a folder, which may
 * have been started in another terminal */
#ifndef CLI_FLEET_RUNNING_COORDINATOR_H
#define CLI_FLEET_RUNNING_COORDINATOR_H

#include <stdbool.h>

#include "cli/query/client.h"

/* Fills the options with the coordinator of the private run that has the store below
 * this folder open, unless they name a coordinator. Returns true when they were filled.
 * The texts are valid until the next call. */
bool running_coordinator_find(struct client_options *options, const char *out_folder);
/* Connects to the named coordinator, or to the one that running_coordinator_find()
 * returns. */
int running_coordinator_open(struct client **client,
                             struct client_options *options,
                             const char *out_folder,
                             struct err *err);

/* Returns true while a process has the store below this folder open for writing. */
bool running_coordinator_is(const char *out_folder);

#endif
