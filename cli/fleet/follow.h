/* follow.h - waits until a job ends and shows its progress
 *
 * Reconnects to a coordinator that restarts. */
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
    uint64_t timeout_ms; /* UINT64_MAX: no limit */
    struct progress *progress;
    struct private_fleet *fleet; /* restarts its children; NULL: not a private run */
    /* True: the first Ctrl-C cancels waiting tasks, and running tasks have the grace
     * time to end; the second Ctrl-C stops them. Captured data is parsed in both cases.
     * False: Ctrl-C only ends this function. */
    bool cancels;
    uint64_t grace_ms;
};

struct follow_result {
    char state[32];
    char job_key[128];
    char out[PATH_MAX]; /* folder of the job's files */
    uint64_t exit_code;
    bool final; /* false: timeout, or interrupted without cancels */
    bool interrupted;
};

int follow(struct client *client,
           const struct follow_options *options,
           struct follow_result *result,
           struct err *err);

#endif
