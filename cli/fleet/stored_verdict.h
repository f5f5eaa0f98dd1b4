/* stored_verdict.h - stores the verdict of a gate without a named coordinator */
#ifndef CLI_FLEET_STORED_VERDICT_H
#define CLI_FLEET_STORED_VERDICT_H

#include "cli/gate/gate_run.h"

/* A gate_store_fn. Starts a coordinator without workers on the store below the folder
 * of results, unless the coordinator of a private run is active there. A store that
 * cannot be written does not change the verdict; the reason is printed to stderr. */
gate_store_fn stored_verdict_send;

#endif
