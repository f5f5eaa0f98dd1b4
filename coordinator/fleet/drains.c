#include "coordinator/fleet/drains.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

struct drain {
    struct drain *next;
    char *host, *reason;
    int32_t card;
};

struct drains {
    struct store *store;
    struct drain *first;
};

static struct drain **find(struct drains *drains, const char *host, int32_t card)
{
    struct drain **at = &drains->first;

    while (*at && ((*at)->card != card || strcmp((*at)->host, host) != 0))
        at = &(*at)->next;
    return at;
}

static void
put_drain(struct drains *drains, const char *host, int32_t card, const char *why)
{
    struct drain **at = find(drains, host, card);

    if (!*at) {
        *at = xcalloc(1, sizeof(**at));
        (*at)->host = xstrdup(host);
        (*at)->card = card;
    }
    free((*at)->reason);
    (*at)->reason = xstrdup(why);
}

static void free_drain(struct drain **at)
{
    struct drain *drain = *at;

    *at = drain->next;
    free(drain->host);
    free(drain->reason);
    free(drain);
}

static int load_drain(const struct store_drain *row, void *arg, struct err *err)
{
    (void)err;
    put_drain(arg, row->host, row->card, row->reason);
    return 0;
}

int drains_open(struct drains **out, struct store *store, struct err *err)
{
    struct drains *drains = xcalloc(1, sizeof(*drains));

    drains->store = store;
    if (store_each_drain(store, load_drain, drains, err) < 0) {
        drains_close(drains);
        return err_wrap(err, "loading drained cards");
    }
    *out = drains;
    return 0;
}

void drains_close(struct drains *drains)
{
    if (!drains)
        return;
    while (drains->first)
        free_drain(&drains->first);
    free(drains);
}

const char *drains_find(const struct drains *drains, const char *host, int32_t card)
{
    for (const struct drain *drain = drains->first; drain; drain = drain->next)
        if ((drain->card == card || drain->card == DRAINS_WHOLE_HOST) &&
            strcmp(drain->host, host) == 0)
            return drain->reason;
    return NULL;
}

int drains_add(struct drains *drains,
               const char *host,
               int32_t card,
               const char *reason,
               struct err *err)
{
    const struct store_drain row = {.host = host,
                                    .card = card,
                                    .reason = reason,
                                    .since_wall_ms = clock_wall_ns() / 1000000};

    if (store_drain_put(drains->store, &row, err) < 0)
        return -1;
    put_drain(drains, host, card, reason);
    return 0;
}

int drains_remove(struct drains *drains,
                  const char *host,
                  int32_t card,
                  bool *found,
                  struct err *err)
{
    *found = false;
    for (struct drain **at = &drains->first; *at;) {
        struct drain *drain = *at;

        if (strcmp(drain->host, host) != 0 ||
            (card != DRAINS_WHOLE_HOST && drain->card != card)) {
            at = &drain->next;
            continue;
        }
        if (store_drain_remove(drains->store, drain->host, drain->card, err) < 0)
            return -1;
        free_drain(at);
        *found = true;
    }
    return 0;
}
