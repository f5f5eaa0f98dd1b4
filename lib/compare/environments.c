#include "lib/compare/environments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum {
    VALUE_CHIP,
    VALUE_HBM_MAKER,
    VALUE_CANN,
    VALUE_DRIVER,
    VALUE_FIRMWARE,
    VALUE_HOST_KERNEL,
    VALUE_MEASUREMENT,
    VALUE_COUNT,
};

static const char *const value_names[VALUE_COUNT] = {
    [VALUE_CHIP] = "chip",
    [VALUE_HBM_MAKER] = "HBM maker",
    [VALUE_CANN] = "CANN",
    [VALUE_DRIVER] = "driver",
    [VALUE_FIRMWARE] = "firmware",
    [VALUE_HOST_KERNEL] = "host kernel",
    [VALUE_MEASUREMENT] = "measurement",
};

struct card {
    char *name;
    char *values[VALUE_COUNT]; /* "": unknown */
};

struct environments {
    struct map *places; /* name of a card -> its number + 1 */
    struct card *cards;
    size_t count, room;
};

struct environments *environments_create(void)
{
    struct environments *environments = xcalloc(1, sizeof(*environments));

    environments->places = map_create();
    return environments;
}

void environments_destroy(struct environments *environments)
{
    if (!environments)
        return;
    for (size_t i = 0; i < environments->count; i++) {
        free(environments->cards[i].name);
        for (int v = 0; v < VALUE_COUNT; v++)
            free(environments->cards[i].values[v]);
    }
    free(environments->cards);
    map_destroy(environments->places);
    free(environments);
}

static struct card *find_card(const struct environments *environments, const char *name)
{
    uintptr_t place = (uintptr_t)map_get(environments->places, name);

    return place ? &environments->cards[place - 1] : NULL;
}

static void set_values(struct environments *environments,
                       const char *name,
                       const char *const *values)
{
    struct card *card = find_card(environments, name);

    if (!card) {
        if (environments->count == environments->room) {
            environments->room = environments->room ? 2 * environments->room : 16;
            environments->cards = xreallocarray(environments->cards, environments->room,
                                                sizeof(*environments->cards));
        }
        card = &environments->cards[environments->count++];
        *card = (struct card){.name = xstrdup(name)};
        map_put(environments->places, name, (void *)(uintptr_t)environments->count);
    }
    for (int v = 0; v < VALUE_COUNT; v++) {
        free(card->values[v]);
        card->values[v] = xstrdup(values[v] ? values[v] : "");
    }
}

void environments_set(struct environments *environments,
                      const char *card,
                      const struct environment *environment)
{
    char hbm_maker[24] = "";

    if (environment->hbm_maker)
        snprintf(hbm_maker, sizeof(hbm_maker), "%" PRIu64, environment->hbm_maker);
    set_values(environments, card,
               (const char *const[VALUE_COUNT]){
                   [VALUE_CHIP] = environment->chip,
                   [VALUE_HBM_MAKER] = hbm_maker,
                   [VALUE_CANN] = environment->cann,
                   [VALUE_DRIVER] = environment->driver,
                   [VALUE_FIRMWARE] = environment->firmware,
                   [VALUE_HOST_KERNEL] = environment->host_kernel,
                   [VALUE_MEASUREMENT] = environment->measurement,
               });
}

void environments_update(struct environments *environments,
                         const struct environments *from)
{
    for (size_t i = 0; i < from->count; i++)
        set_values(environments, from->cards[i].name,
                   (const char *const *)from->cards[i].values);
}

static bool is_changed(const char *base, const char *fresh)
{
    return base[0] && fresh[0] && strcmp(base, fresh) != 0;
}

enum environments_order environments_compare(const struct environments *base,
                                             const struct environments *fresh,
                                             const char *card)
{
    const struct card *before = find_card(base, card), *now = find_card(fresh, card);

    if (!before || !now)
        return ENVIRONMENT_UNKNOWN;
    for (int v = 0; v < VALUE_COUNT; v++)
        if (is_changed(before->values[v], now->values[v]))
            return ENVIRONMENT_CHANGED;
    return ENVIRONMENT_EQUAL;
}

/* Cards with the same change of a value. */
struct change {
    const char *before, *now;
    size_t cards;
};

/* Adds the changes of one value. `changes` has room for all cards. */
static void add_value(struct text *out,
                      const struct environments *base,
                      const struct environments *fresh,
                      int value,
                      struct change *changes)
{
    size_t count = 0;

    for (size_t i = 0; i < fresh->count; i++) {
        const struct card *before = find_card(base, fresh->cards[i].name);
        const char *now = fresh->cards[i].values[value];
        size_t at = 0;

        if (!before || !is_changed(before->values[value], now))
            continue;
        while (at < count && (strcmp(changes[at].before, before->values[value]) != 0 ||
                              strcmp(changes[at].now, now) != 0))
            at++;
        if (at == count)
            changes[count++] = (struct change){before->values[value], now, 0};
        changes[at].cards++;
    }
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%s %s became %s on %zu card%s",
                    text_get(out)[0] ? ", " : "", value_names[value], changes[i].before,
                    changes[i].now, changes[i].cards, changes[i].cards == 1 ? "" : "s");
}

char *environments_change(const struct environments *base,
                          const struct environments *fresh)
{
    struct change *changes = xcalloc(fresh->count + 1, sizeof(*changes));
    struct text text = {0};

    text_add(&text, "");
    for (int v = 0; v < VALUE_COUNT; v++)
        add_value(&text, base, fresh, v, changes);
    free(changes);
    if (text_get(&text)[0])
        return text_take(&text);
    text_clear(&text);
    return NULL;
}
