/* client_requests.h - what people ask of the coordinator, and what they are told of
 * their jobs
 */
#ifndef COORDINATOR_CLIENTS_CLIENT_REQUESTS_H
#define COORDINATOR_CLIENTS_CLIENT_REQUESTS_H

#include <stdbool.h>

#include "coordinator/ledger/ledger.h"
#include "coordinator/net/outbox.h"
#include "coordinator/sessions/worker_sessions.h"

struct allocator;
struct store;
struct watcher;

struct client_requests {
    struct ledger *ledger;
    struct store *store;
    struct outbox *outbox;
    struct link *link;
    struct sessions *control; /* who is connected, and who must stop */
    struct allocator *allocator;
    const char *out;
    bool stop; /* somebody asked for it */
    struct watcher *watchers;
};

void client_requests_clear(struct client_requests *clients);

/* -1: the store failed. */
int client_requests_handle(struct client_requests *clients,
                           const struct incoming *in,
                           struct err *err);
/* Tells watchers of the jobs that changed. */
void client_requests_notify_watchers(struct client_requests *clients);

#endif
