#include "lib/compare/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/point_key.h"

struct point {
    char *key;
    bool pinned; /* the point names its card */
};

struct figure_keys {
    struct map *points; /* struct point by its text in the job */
    /* of the present figure; kept to reuse their memory */
    struct text card, key;
};

struct figure_keys *figure_keys_create(void)
{
    struct figure_keys *keys = xcalloc(1, sizeof(*keys));

    keys->points = map_create();
    return keys;
}

void figure_keys_destroy(struct figure_keys *keys)
{
    size_t cursor = 0;
    const char *text;
    void *value;

    if (!keys)
        return;
    while (map_next(keys->points, &cursor, &text, &value)) {
        free(((struct point *)value)->key);
        free(value);
    }
    map_destroy(keys->points);
    text_clear(&keys->card);
    text_clear(&keys->key);
    free(keys);
}

static const struct point *find_point(struct figure_keys *keys, const char *text)
{
    struct point *point = map_get(keys->points, text);

    if (!point) {
        point = xcalloc(1, sizeof(*point));
        point->key = point_key(text, &point->pinned);
        map_put(keys->points, text, point);
    }
    return point;
}

const char *figure_card_name(struct figure_keys *keys,
                             const struct comparison_figure *figure)
{
    if (figure->serial[0] || figure->card < 0)
        return figure->serial;
    text_reset(&keys->card);
    text_printf(&keys->card, "%s:%" PRId64, figure->host, figure->card);
    return text_get(&keys->card);
}

struct figure_identity figure_identity_of(struct figure_keys *keys,
                                          const struct comparison_figure *figure)
{
    const struct point *point = find_point(keys, figure->point);
    struct figure_identity identity = {
        .point = point->key,
        .card = point->pinned ? figure_card_name(keys, figure) : ""};
    const char *const parts[] = {identity.point, figure->kernel, identity.card,
                                 figure->metric};
    struct text *key = &keys->key;

    text_reset(key);
    if (figure->rank) /* to format a number takes longer than the rest */
        text_printf(key, "%" PRIu64, figure->rank);
    for (size_t i = 0; i < COUNT(parts); i++) {
        text_add(key, "\n");
        text_add(key, parts[i]);
    }
    identity.key = text_get(key);
    return identity;
}
