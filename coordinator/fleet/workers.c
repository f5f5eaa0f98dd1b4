#include "coordinator/fleet/workers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/drains.h"
#include "lib/base/mem.h"

/* A missing row in the state table is a bug of the caller. */
static void move_card(struct worker *worker, enum card_event event)
{
    bool moves = card_state_step(&worker->state, event);

    assert(moves);
    (void)moves;
}

static void move_host(struct fleet_host *host, enum host_event event)
{
    bool moves = host_state_step(&host->state, event);

    assert(moves);
    (void)moves;
}

static struct fleet_host *enter_host(struct workers *workers, const char *name)
{
    struct fleet_host **at = &workers->hosts;

    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (!*at) {
        *at = xcalloc(1, sizeof(**at));
        (*at)->name = xstrdup(name);
    }
    (*at)->workers++;
    return *at;
}

static bool leave_host(struct workers *workers, struct fleet_host *host)
{
    struct fleet_host **at = &workers->hosts;

    if (--host->workers > 0)
        return false;
    move_host(host, HOST_ON_GO);
    while (*at != host)
        at = &(*at)->next;
    *at = host->next;
    free(host->name);
    free(host);
    return true;
}

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

struct worker *workers_find_session(const struct workers *workers, uint64_t session)
{
    struct worker *worker = session ? workers->first : NULL;

    while (worker && worker->session != session)
        worker = worker->next;
    return worker;
}

struct worker *
workers_find_card(const struct workers *workers, const char *host, int32_t card)
{
    struct worker *worker = workers->first;

    while (worker && (worker->card != card || strcmp(worker->host, host) != 0))
        worker = worker->next;
    return worker;
}

bool workers_have_card(const struct workers *workers, const char *host, int32_t card)
{
    for (const struct worker *worker = workers->first; worker; worker = worker->next)
        if ((card == DRAINS_WHOLE_HOST || worker->card == card) &&
            (!host || strcmp(worker->host, host) == 0))
            return true;
    return false;
}

static bool is_before(const struct worker *a, const struct worker *b)
{
    int order = strcmp(a->host, b->host);

    return order < 0 || (order == 0 && a->card < b->card);
}

struct worker *workers_add(struct workers *workers,
                           const struct peer *peer,
                           const struct msg_worker_hello *hello)
{
    struct worker *worker = xcalloc(1, sizeof(*worker));
    struct worker **at = &workers->first;

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
    worker->ranks_end = &worker->ranks;
    worker->fleet_host = enter_host(workers, worker->host);
    while (*at && !is_before(worker, *at))
        at = &(*at)->next;
    worker->next = *at;
    *at = worker;
    workers->count++;
    return worker;
}

bool workers_remove(struct workers *workers, struct worker *worker)
{
    struct worker **at = &workers->first;

    while (*at != worker)
        at = &(*at)->next;
    *at = worker->next;
    workers->count--;
    move_card(worker, CARD_ON_GO);
    bool was_last = leave_host(workers, worker->fleet_host);
    free_worker(worker);
    return was_last;
}

const char *worker_state_word(const struct worker *worker)
{
    return worker->state == CARD_IDLE && worker->reserved_for_gang
               ? "kept"
               : card_state_name(worker->state);
}

void worker_add_rank(struct worker *worker)
{
    worker->rank_count++;
    move_card(worker, CARD_ON_LEASE);
    if (worker->fleet_host->ranks++ == 0)
        move_host(worker->fleet_host, HOST_ON_LEASE);
}

void worker_remove_rank(struct worker *worker)
{
    if (--worker->rank_count == 0)
        move_card(worker, CARD_ON_EMPTY);
    if (--worker->fleet_host->ranks == 0)
        move_host(worker->fleet_host, HOST_ON_EMPTY);
}

void worker_start_rest(struct worker *worker, uint64_t rest_until_ms)
{
    worker->rest_until_ms = rest_until_ms;
    move_card(worker, CARD_ON_REFUSE);
}

static void
update_card_state(struct worker *worker, const struct drains *drains, uint64_t now_ms)
{
    bool drained = drains_find(drains, worker->host, worker->card) != NULL;

    if (drained != card_is_drained(worker->state))
        move_card(worker, drained ? CARD_ON_DRAIN : CARD_ON_UNDRAIN);
    if ((worker->state == CARD_FULL || worker->state == CARD_RESTING) &&
        worker->rest_until_ms <= now_ms)
        move_card(worker, CARD_ON_RESTED);
}

void workers_update_states(struct workers *workers,
                           const struct drains *drains,
                           uint64_t now_ms)
{
    for (struct worker *worker = workers->first; worker; worker = worker->next)
        update_card_state(worker, drains, now_ms);
    for (struct fleet_host *host = workers->hosts; host; host = host->next) {
        bool drained = drains_find(drains, host->name, DRAINS_WHOLE_HOST) != NULL;

        if (drained != (host->state == HOST_DRAINING || host->state == HOST_DRAINED))
            move_host(host, drained ? HOST_ON_DRAIN : HOST_ON_UNDRAIN);
    }
}
