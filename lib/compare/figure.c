#include "lib/compare/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/names.h"
#include "lib/base/text.h"
#include "lib/compare/point_key.h"

struct point {
    uint32_t key; /* number of the text */
    bool pinned;  /* the point names its card */
    bool is_known;
};

struct figure_keys {
    struct names *task_points; /* texts of points in the jobs */
    struct point *points;      /* by the number of the text in the job */
    uint32_t count;
    uint32_t last_point; /* number of the text that was looked up last */
    struct names *texts; /* all others */
    /* of the present figure; kept to reuse their memory */
    struct text card, key;
};

struct figure_keys *figure_keys_create(void)
{
    struct figure_keys *keys = xcalloc(1, sizeof(*keys));

    keys->task_points = names_create();
    keys->texts = names_create();
    return keys;
}

void figure_keys_destroy(struct figure_keys *keys)
{
    if (!keys)
        return;
    names_destroy(keys->task_points);
    names_destroy(keys->texts);
    free(keys->points);
    text_clear(&keys->card);
    text_clear(&keys->key);
    free(keys);
}

static void grow(struct figure_keys *keys, uint32_t count)
{
    keys->points = xreallocarray(keys->points, count, sizeof(*keys->points));
    while (keys->count < count)
        keys->points[keys->count++] = (struct point){0};
}

static const struct point *find_point(struct figure_keys *keys, uint32_t number)
{
    if (number >= keys->count)
        grow(keys, 2 * number + 64);
    struct point *point = &keys->points[number];

    if (!point->is_known) {
        char *key = point_key(names_text(keys->task_points, number), &point->pinned);

        point->key = names_add(keys->texts, key);
        point->is_known = true;
        free(key);
    }
    return point;
}

/* Each repeat of a job has the points in the same order, so most texts are the next or
 * the same one as before. Both lie in the cache, unlike the place in the index. */
uint32_t figure_task_point_number(struct figure_keys *keys, const char *point)
{
    const struct names *points = keys->task_points;
    uint32_t next = keys->last_point + 1;

    if (next < names_count(points) && strcmp(names_text(points, next), point) == 0)
        return keys->last_point = next;
    if (strcmp(names_text(points, keys->last_point), point) != 0)
        keys->last_point = names_add(keys->task_points, point);
    return keys->last_point;
}

uint32_t figure_text_number(struct figure_keys *keys, const char *text)
{
    return names_add(keys->texts, text);
}

const char *figure_task_point(const struct figure_keys *keys, uint32_t number)
{
    return names_text(keys->task_points, number);
}

const char *figure_text(const struct figure_keys *keys, uint32_t number)
{
    return names_text(keys->texts, number);
}

struct figure_numbers figure_numbers_of(struct figure_keys *keys,
                                        const struct comparison_figure *figure)
{
    uint32_t number = figure_task_point_number(keys, figure->point);
    const struct point *point = find_point(keys, number);
    const char *card = point->pinned ? figure_card_name(keys, figure) : "";

    return (struct figure_numbers){
        .cell = {.point = point->key,
                 .kernel = names_add(keys->texts, figure->kernel),
                 .metric = names_add(keys->texts, figure->metric),
                 .card = names_add(keys->texts, card),
                 .rank = figure->rank},
        .task_point = number,
    };
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
    const struct point *point =
        find_point(keys, figure_task_point_number(keys, figure->point));
    struct figure_identity identity = {
        .point = names_text(keys->texts, point->key),
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
