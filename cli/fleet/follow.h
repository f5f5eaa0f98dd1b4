/* follow.h - stays with a job until it ends, and shows how far it is
 *
 * Survives a coordinator that goes away and comes back. */
#ifndef CLI_FLEET_FOLLOW_H
#define CLI_FLEET_FOLLOW_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client;
struct private_fleet;
struct progress;

struct follow_options {
    uint64_t job_id;
    uint64_t timeout_ms; /* UINT64_MAX: for ever */
    struct progress *progress;
    struct private_fleet *fleet; /* NULL: the fleet is not ours to keep alive */
    /* Ctrl-C once: start nothing more, and after a grace end what runs. Twice: end it
     * at once. What was captured is parsed either way. Where it is false, Ctrl-C only
     * ends the following. */
    bool cancels;
    uint64_t grace_ms;
};

struct follow_result {
    char state[32];
    char job_key[128];
    char out[PATH_MAX]; /* the folder of the job's files */
    uint64_t exit_code;
    bool final; /* false: timed out, or interrupted where it does not cancel */
    bool interrupted;
};

int follow(struct client *client,
           const struct follow_options *options,
           struct follow_result *result,
           struct err *err);

#endif
