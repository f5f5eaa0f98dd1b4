/* private_fleet.h - a private fleet: one coordinator and one worker a card, our
 * children
 *
 * They talk over ipc:// in a folder that only we can enter, and end by themselves when
 * we are gone, however we went: each holds the reading end of a pipe of ours. A child
 * that dies is started again, a bounded number of times; what it had promised is on
 * disk. What they have to say goes to STORE/log. */
#ifndef CLI_FLEET_PRIVATE_FLEET_H
#define CLI_FLEET_PRIVATE_FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/query/client.h"
#include "lib/base/err.h"

struct private_fleet;

/* Below the folder of results while the fleet is there: its control socket, our key and
 * its public one, a line each, for other terminals of the same user. */
#define PRIVATE_FLEET_REACH "store/reach"

struct private_fleet_options {
    const char *programs; /* their folder; NULL: our own program's */
    const char *out;      /* folder of results; out/store is the store */
    size_t card_count;    /* cards 0 .. card_count - 1 */
    const char *model;    /* of the cards, such as Ascend910B2 */
    bool simulated;
    bool away;           /* the workers come from elsewhere, over tcp and with keys */
    const char *address; /* where they reach us; NULL: this host's name */
};

/* Waits until the coordinator listens; where it ended the error is what it said. */
int private_fleet_start(struct private_fleet **out,
                        const struct private_fleet_options *wish,
                        struct err *err);
/* How to talk to its coordinator; good as long as the fleet. */
struct client_options private_fleet_client(const struct private_fleet *fleet);
/* After SIGCHLD: collects who ended and starts them again. Fails when one ended too
 * often, with what it said. */
int private_fleet_reap(struct private_fleet *fleet, struct err *err);
/* How many times a child was started again, and who it was last. */
size_t private_fleet_restarts(const struct private_fleet *fleet, const char **last);
/* Ends them all, kindly first; leaves nothing running and no socket behind. */
void private_fleet_stop(struct private_fleet **fleet);

#endif
