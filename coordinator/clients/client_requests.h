/* client_requests.h - handles the requests of clients
 *
 * Every reply goes through the outbox, so a client gets it after the commit. */
#ifndef COORDINATOR_CLIENTS_CLIENT_REQUESTS_H
#define COORDINATOR_CLIENTS_CLIENT_REQUESTS_H

#include <stdbool.h>

#include "lib/base/err.h"

struct allocator;
struct client_requests;
struct confirmations;
struct fleet;
struct incoming;
struct ledger;
struct link;
struct outbox;
struct sessions;
struct store;

struct client_requests_parts { /* all is borrowed */
    struct ledger *ledger;
    struct store *store;
    struct fleet *fleet;
    struct outbox *outbox;
    struct link *link;
    struct sessions *sessions;
    struct allocator *allocator;
    struct confirmations *confirmations;
    const char *out; /* folder of all output */
};

struct client_requests *
client_requests_create(const struct client_requests_parts *parts);
void client_requests_destroy(struct client_requests *clients); /* NULL is allowed */

/* Returns -1 when the store failed. */
int client_requests_handle(struct client_requests *clients,
                           const struct incoming *in,
                           struct err *err);
/* Sends the progress of changed jobs to the clients that watch them. */
void client_requests_notify_watchers(struct client_requests *clients);
/* Returns true when a client has requested the shutdown of the coordinator. */
bool client_requests_shut_down(const struct client_requests *clients);

#endif
