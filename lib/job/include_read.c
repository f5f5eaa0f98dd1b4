/* include_read.c - sweep.include: points beside those that the axes make
 *
 * An entry is a whole point: a value for each name. Its values stand behind those of
 * the axes, at the same place for every name, so that a point of an entry is a choice
 * of digits like any other. Where cards are named and the entry names none, it is a
 * point on each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/axes.h"

enum { INCLUDES_MAX = 4096 };

struct including {
    struct axes *axes;
    const struct yaml_node **rows;    /* a node for each name; NULL: one of the cards */
    size_t *cards;                    /* which, where the node is NULL */
    const struct yaml_node **entries; /* where each stands */
    size_t count, room;
};

void include_read_names(struct axes *axes, const struct yaml_node *list)
{
    char key[JOB_READER_KEY_MAX];

    if (axes->variable_count > 0 || list->kind != YAML_LIST || !list->first ||
        list->first->kind != YAML_MAP || !axes_add(axes, list, "sweep.include"))
        return;
    axes->lengths[axes->count - 1] = 0; /* no point but those of the entries */
    for (const struct yaml_node *node = list->first->first; node; node = node->next) {
        snprintf(key, sizeof(key), "sweep.include[0].%.64s", node->key->text);
        if (strcmp(node->key->text, axes_card) == 0)
            continue; /* only beside cards.ids */
        struct variable *variable = axes_add_name(axes, node->key, key);
        if (variable)
            variable->all_numbers = true;
    }
}

/* The entry's node of each name, or false, and told. */
static bool read_entry(struct including *including,
                       const struct yaml_node *entry,
                       const char *key,
                       const struct yaml_node **row)
{
    const struct axes *axes = including->axes;
    const struct variables names = {axes->variables, axes->variable_count};
    char place[JOB_READER_KEY_MAX + 80];
    bool good = true;

    if (!job_reader_is(axes->reader, entry, key, YAML_MAP))
        return false;
    for (const struct yaml_node *node = entry->first; node; node = node->next) {
        const char *nearest, *name = node->key->text;
        const struct variable *found =
            variable_find(&names, name, strlen(name), &nearest);

        snprintf(place, sizeof(place), "%s.%.64s", key, name);
        if (!found) {
            job_reader_complain(axes->reader, node->key, place,
                                "the sweep has no '%.64s'%s%s%s", name,
                                nearest ? "; is it '" : "", nearest ? nearest : "",
                                nearest ? "'?" : "");
            good = false;
        } else if (!job_reader_text(axes->reader, node, place, AXES_VALUE_BYTES_MAX)) {
            good = false;
        } else if (strcmp(name, axes_card) == 0 && !axes_is_card(node->text)) {
            job_reader_complain(axes->reader, node, place,
                                "a card number from 0 to %d is wanted, not '%.64s'",
                                AXES_CARD_MAX, node->text);
            good = false;
        } else {
            row[found - axes->variables] = node;
        }
    }
    for (size_t v = 0; v < names.count && good; v++)
        if (!row[v] && names.items[v].name != axes_card) {
            job_reader_complain(axes->reader, entry, key,
                                "the value of '%s' is missing", names.items[v].name);
            good = false;
        }
    return good;
}

static const char *text_of(const struct including *including, size_t row, size_t v)
{
    const struct axes *axes = including->axes;
    const struct yaml_node *node = including->rows[row * axes->variable_count + v];

    return node ? node->text : axes->variables[v].values[including->cards[row]].text;
}

static void add_row(struct including *including,
                    const struct yaml_node *entry,
                    const struct yaml_node *const *row,
                    size_t card)
{
    size_t names = including->axes->variable_count;

    if (including->count == including->room) {
        including->room = including->room ? 2 * including->room : 16;
        including->rows = xreallocarray(including->rows, including->room,
                                        names * sizeof(*including->rows));
        including->cards =
            xreallocarray(including->cards, including->room, sizeof(*including->cards));
        including->entries = xreallocarray(including->entries, including->room,
                                           sizeof(*including->entries));
    }
    memcpy(including->rows + including->count * names, row, names * sizeof(*row));
    including->entries[including->count] = entry;
    including->cards[including->count++] = card;
}

/* As one point, or as one on each card. */
static void add_entry(struct including *including,
                      const struct yaml_node *entry,
                      const char *key,
                      const struct yaml_node *const *row)
{
    struct axes *axes = including->axes;
    size_t last = axes->variable_count - 1;
    bool spreads = axes->variables[last].name == axes_card && !row[last];
    size_t count = spreads ? axes->lengths[axes->count - 1] : 1;

    if (!axes_have_room(axes, entry, key, count * axes->variable_count))
        return;
    for (size_t card = 0; card < count; card++)
        add_row(including, entry, row, card);
}

/* The values behind those of the axes. */
static void append(const struct including *including)
{
    struct axes *axes = including->axes;
    struct arena *arena = axes->reader->job->arena;

    for (size_t v = 0; v < axes->variable_count; v++) {
        struct variable *variable = &axes->variables[v];
        size_t before = axes->lengths[variable->axis];
        struct value *values =
            arena_calloc(arena, before + including->count, sizeof(*values));

        if (before)
            memcpy(values, variable->values, before * sizeof(*values));
        for (size_t i = 0; i < including->count; i++) {
            const char *text = text_of(including, i, v);

            values[before + i] = value_of(arena_strdup(arena, text));
            variable->all_numbers &= values[before + i].is_number;
            if (strlen(text) > variable->longest)
                variable->longest = strlen(text);
        }
        variable->values = values;
    }
}

void include_read(struct axes *axes, const struct yaml_node *list)
{
    struct job_reader *reader = axes->reader;
    struct including including = {.axes = axes};
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (!job_reader_is(reader, list, "sweep.include", YAML_LIST))
        return;
    if (list->count > INCLUDES_MAX) {
        job_reader_complain(reader, list, "sweep.include", "more than %d points",
                            INCLUDES_MAX);
        return;
    }
    const struct yaml_node **row = xcalloc(axes->variable_count, sizeof(*row));
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next) {
        memset(row, 0, axes->variable_count * sizeof(*row));
        job_reader_key(key, "sweep.include", place++);
        if (read_entry(&including, entry, key, row))
            add_entry(&including, entry, key, row);
    }
    free(row);
    append(&including);
    reader->job->sweep.include_count = including.count;
    reader->included = including.entries;
    free(including.rows);
    free(including.cards);
}

/* What the names of one axis have at a digit: alike for alike choices. */
static void
tell_choice(struct text *out, const struct sweep *sweep, size_t axis, size_t digit)
{
    text_reset(out);
    for (size_t v = 0; v < sweep->variables.count; v++) {
        const struct variable *variable = &sweep->variables.items[v];

        if (variable->axis == axis)
            text_printf(out, "%zu:%s", strlen(variable->values[digit].text),
                        variable->values[digit].text);
    }
}

/* At which digit of the axis each entry's choice stands; SIZE_MAX: at none. */
static void find_digits(const struct sweep *sweep, size_t axis, size_t *digits)
{
    struct map *places = map_create();
    struct text choice = {0};

    for (size_t i = 0; i < sweep->lengths[axis] + sweep->include_count; i++) {
        tell_choice(&choice, sweep, axis, i);
        if (i < sweep->lengths[axis]) {
            map_put(places, text_get(&choice), (void *)(uintptr_t)(i + 1));
            continue;
        }
        uintptr_t place = (uintptr_t)map_get(places, text_get(&choice));
        digits[(i - sweep->lengths[axis]) * sweep->axis_count + axis] =
            place ? place - 1 : SIZE_MAX;
    }
    text_clear(&choice);
    map_destroy(places);
}

static bool is_of_axes(const struct sweep *sweep, const size_t *digits)
{
    for (size_t axis = 0; axis < sweep->axis_count; axis++)
        if (digits[axis] == SIZE_MAX)
            return false;
    return !sweep_is_excluded(sweep, digits);
}

void include_check(struct job_reader *reader)
{
    const struct sweep *sweep = &reader->job->sweep;
    size_t count = sweep->include_count;
    size_t *digits = xcalloc(count + 1, (sweep->axis_count + 1) * sizeof(*digits));
    struct map *seen = map_create();
    struct text point = {0};

    for (size_t axis = 0; axis < sweep->axis_count; axis++)
        find_digits(sweep, axis, digits);
    for (size_t i = 0; i < count; i++) {
        text_reset(&point);
        for (size_t v = 0; v < sweep->variables.count; v++) {
            const struct variable *it = &sweep->variables.items[v];
            const char *text = it->values[sweep->lengths[it->axis] + i].text;

            text_printf(&point, "%zu:%s", strlen(text), text);
        }
        if (map_put(seen, text_get(&point), seen))
            job_reader_complain(reader, reader->included[i], "sweep.include",
                                "the same point stands twice");
        else if (is_of_axes(sweep, digits + i * sweep->axis_count))
            job_reader_complain(reader, reader->included[i], "sweep.include",
                                "the sweep has this point already");
    }
    text_clear(&point);
    map_destroy(seen);
    free(digits);
}
