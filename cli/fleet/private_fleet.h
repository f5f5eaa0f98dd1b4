/* private_fleet.h - one coordinator and one worker per card, as child processes
 *
 * The children connect over ipc:// sockets in a folder that only this user can enter.
 * Each child holds the reading end of a pipe of this process, and ends when the pipe
 * closes, even after a crash of this process. A child that ends is restarted, a limited
 * number of times; everything that it acknowledged is on disk. The children write their
 * logs to STORE/log. */
#ifndef CLI_FLEET_PRIVATE_FLEET_H
#define CLI_FLEET_PRIVATE_FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/query/client.h"
#include "lib/base/err.h"

struct private_fleet;

/* A file below the folder of results while the fleet runs, for other terminals of the
 * same user. Its lines are: control endpoint, client key, public key of the
 * coordinator. */
#define PRIVATE_FLEET_CONNECTION_FILE "store/reach"

struct private_fleet_options {
    const char *programs; /* folder of the programs; NULL: that of this program */
    const char *out;      /* folder of results; out/store is the store */
    size_t card_count;    /* cards 0 .. card_count - 1 */
    const char *model;    /* of the cards; NULL: the workers ask the driver */
    bool simulated;
    bool cluster;        /* the workers run on cluster nodes: TCP with keys */
    const char *address; /* of this host for the nodes; NULL: its host name */
};

/* Starts the fleet and waits until the coordinator listens. When the coordinator ends
 * instead, the error is the last error of its log. */
int private_fleet_start(struct private_fleet **out,
                        const struct private_fleet_options *options,
                        struct err *err);
/* Waits until all workers are connected, so that a job gets the same cards in each run.
 * Returns also when a worker is late or a signal is pending that ends the run. */
int private_fleet_await_workers(struct private_fleet *fleet,
                                struct client *client,
                                struct err *err);
/* Returns how to connect to the coordinator; valid as long as the fleet. */
struct client_options private_fleet_client(const struct private_fleet *fleet);
/* Restarts the children that have ended; call it after SIGCHLD. Fails with the last
 * error of its log when a child has ended too often. */
int private_fleet_reap(struct private_fleet *fleet, struct err *err);
/* Returns the number of restarts, and in *last the name of the last restarted child. */
size_t private_fleet_restarts(const struct private_fleet *fleet, const char **last);
/* Ends all children, with signals when they do not end alone, and removes the sockets.
 */
void private_fleet_stop(struct private_fleet **fleet);

#endif
