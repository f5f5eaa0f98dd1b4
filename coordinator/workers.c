#include "coordinator/workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void free_worker(struct worker *worker)
{
    free(worker->host);
    free(worker->model);
    free(worker->serial);
    free(worker->version);
    free(worker->address);
    free(worker->card_address);
    free(worker->net_switch);
    free(worker->allocation);
    free(worker);
}

void workers_clear(struct workers *workers)
{
    while (workers->first)
        workers_remove(workers, workers->first);
}

struct worker *workers_find(const struct workers *workers, const struct peer *peer)
{
    struct worker *worker = workers->first;

    while (worker && !peer_is_same(&worker->peer, peer))
        worker = worker->next;
    return worker;
}

struct worker *
workers_find_card(const struct workers *workers, const char *host, int32_t card)
{
    struct worker *worker = workers->first;

    while (worker && (worker->card != card || strcmp(worker->host, host)))
        worker = worker->next;
    return worker;
}

struct worker *workers_add(struct workers *workers,
                           const struct peer *peer,
                           const struct msg_worker_hello *hello)
{
    struct worker *worker = xcalloc(1, sizeof(*worker));
    struct worker **end = &workers->first;

    worker->peer = *peer;
    worker->host = xstrdup(hello->host);
    worker->model = xstrdup(hello->model);
    worker->serial = xstrdup(hello->serial);
    worker->version = xstrdup(hello->version);
    worker->address =
        xstrdup(hello->address && *hello->address ? hello->address : hello->host);
    worker->card_address = xstrdup(hello->card_address ? hello->card_address : "");
    worker->net_switch = xstrdup(hello->net_switch ? hello->net_switch : "");
    worker->allocation = xstrdup(hello->allocation ? hello->allocation : "");
    worker->card = (int32_t)hello->card;
    worker->pid = hello->pid;
    worker->simulated = hello->simulated;
    while (*end)
        end = &(*end)->next;
    *end = worker;
    workers->count++;
    return worker;
}

void workers_remove(struct workers *workers, struct worker *worker)
{
    struct worker **at = &workers->first;

    while (*at && *at != worker)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = worker->next;
    workers->count--;
    free_worker(worker);
}
