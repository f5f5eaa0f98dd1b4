/* include_read.c - reads sweep.include: points in addition to those of the axes
 *
 * An entry has a value for each variable. These values are appended to the values of
 * the axes, at the same index for every variable. So an included point is a list of
 * digits, as every other point is. If cards.ids is set and the entry has no card, the
 * entry becomes one point per card. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/axes.h"

enum { INCLUDES_MAX = 4096 };

struct included {
    struct axes *axes;
    /* Per point one node per variable; NULL where the value is a card of `cards`. */
    const struct yaml_node **rows;
    size_t *cards;                    /* per point */
    const struct yaml_node **entries; /* per point, for problems */
    size_t count, room;
};

void include_read_names(struct axes *axes, const struct yaml_node *list)
{
    char key[JOB_READER_KEY_MAX];

    if (axes->variable_count > 0 || list->kind != YAML_LIST || !list->first ||
        list->first->kind != YAML_MAP || !axes_add(axes, list, "sweep.include"))
        return;
    axes->lengths[axes->count - 1] = 0; /* the axes produce no points of their own */
    for (const struct yaml_node *node = list->first->first; node; node = node->next) {
        snprintf(key, sizeof(key), "sweep.include[0].%.64s", node->key->text);
        if (strcmp(node->key->text, axes_card) == 0)
            continue; /* allowed with cards.ids only */
        struct variable *variable = axes_add_name(axes, node->key, key);
        if (variable)
            variable->all_numbers = true;
    }
}

/* Fills `row` with the node of each variable. Returns false on a problem. */
static bool read_entry(struct included *included,
                       const struct yaml_node *entry,
                       const char *key,
                       const struct yaml_node **row)
{
    const struct axes *axes = included->axes;
    const struct variables names = {.items = axes->variables,
                                    .count = axes->variable_count};
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
                                "the sweep has no variable '%.64s'%s%s%s", name,
                                nearest ? "; did you mean '" : "",
                                nearest ? nearest : "", nearest ? "'?" : "");
            good = false;
        } else if (!job_reader_text(axes->reader, node, place, AXES_VALUE_BYTES_MAX)) {
            good = false;
        } else if (strcmp(name, axes_card) == 0 && !axes_is_card(node->text)) {
            job_reader_complain(axes->reader, node, place,
                                "expected a card number from 0 to %d without leading "
                                "zeros, found '%.64s'",
                                AXES_CARD_MAX, node->text);
            good = false;
        } else {
            row[found - axes->variables] = node;
        }
    }
    for (size_t v = 0; v < names.count && good; v++)
        if (!row[v] && names.items[v].name != axes_card) {
            job_reader_complain(axes->reader, entry, key,
                                "the value of '%s' is missing; each point needs a "
                                "value for every variable",
                                names.items[v].name);
            good = false;
        }
    return good;
}

static const char *text_of(const struct included *included, size_t row, size_t v)
{
    const struct axes *axes = included->axes;
    const struct yaml_node *node = included->rows[row * axes->variable_count + v];

    return node ? node->text : axes->variables[v].values[included->cards[row]].text;
}

static void add_row(struct included *included,
                    const struct yaml_node *entry,
                    const struct yaml_node *const *row,
                    size_t card)
{
    size_t names = included->axes->variable_count;

    if (included->count == included->room) {
        included->room = included->room ? 2 * included->room : 16;
        included->rows = xreallocarray(included->rows, included->room,
                                       names * sizeof(*included->rows));
        included->cards =
            xreallocarray(included->cards, included->room, sizeof(*included->cards));
        included->entries = xreallocarray(included->entries, included->room,
                                          sizeof(*included->entries));
    }
    memcpy(included->rows + included->count * names, row, names * sizeof(*row));
    included->entries[included->count] = entry;
    included->cards[included->count++] = card;
}

/* Adds one point, or one point per card when the entry has no card. */
static void add_entry(struct included *included,
                      const struct yaml_node *entry,
                      const char *key,
                      const struct yaml_node *const *row)
{
    struct axes *axes = included->axes;
    size_t last = axes->variable_count - 1;
    bool on_each_card = axes->variables[last].name == axes_card && !row[last];
    size_t count = on_each_card ? axes->lengths[axes->count - 1] : 1;

    if (!axes_have_room(axes, entry, key, count * axes->variable_count))
        return;
    for (size_t card = 0; card < count; card++)
        add_row(included, entry, row, card);
}

/* Appends the values of the included points to the values of the axes. */
static void append(const struct included *included)
{
    struct axes *axes = included->axes;
    struct arena *arena = axes->reader->job->arena;

    for (size_t v = 0; v < axes->variable_count; v++) {
        struct variable *variable = &axes->variables[v];
        size_t before = axes->lengths[variable->axis];
        struct value *values =
            arena_calloc(arena, before + included->count, sizeof(*values));

        if (before)
            memcpy(values, variable->values, before * sizeof(*values));
        for (size_t i = 0; i < included->count; i++) {
            const char *text = text_of(included, i, v);

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
    struct included included = {.axes = axes};
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (!job_reader_is(reader, list, "sweep.include", YAML_LIST))
        return;
    if (list->count > INCLUDES_MAX) {
        job_reader_complain(reader, list, "sweep.include",
                            "the list has %zu points, at most %d are allowed",
                            list->count, INCLUDES_MAX);
        return;
    }
    const struct yaml_node **row = xcalloc(axes->variable_count, sizeof(*row));
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next) {
        memset(row, 0, axes->variable_count * sizeof(*row));
        job_reader_key(key, "sweep.include", place++);
        if (read_entry(&included, entry, key, row))
            add_entry(&included, entry, key, row);
    }
    free(row);
    /* An axis with an error has fewer values than its length; the job is refused
     * anyway. */
    if (reader->problems->count == 0) {
        append(&included);
        reader->job->sweep.include_count = included.count;
    }
    reader->included = included.entries;
    free(included.rows);
    free(included.cards);
}

/* Writes the values of an axis at a digit. Equal values give equal texts. */
static void write_combination(struct text *out,
                              const struct sweep *sweep,
                              size_t axis,
                              size_t digit)
{
    text_reset(out);
    for (size_t v = 0; v < sweep->variables.count; v++) {
        const struct variable *variable = &sweep->variables.items[v];

        if (variable->axis == axis)
            text_printf(out, "%zu:%s", strlen(variable->values[digit].text),
                        variable->values[digit].text);
    }
}

/* For each included point, finds the digit of the axis with the same values; SIZE_MAX
 * when none has them. */
static void find_digits(const struct sweep *sweep, size_t axis, size_t *digits)
{
    struct map *places = map_create();
    struct text combination = {0};

    for (size_t i = 0; i < sweep->lengths[axis] + sweep->include_count; i++) {
        write_combination(&combination, sweep, axis, i);
        if (i < sweep->lengths[axis]) {
            map_put(places, text_get(&combination), (void *)(uintptr_t)(i + 1));
            continue;
        }
        uintptr_t place = (uintptr_t)map_get(places, text_get(&combination));
        digits[(i - sweep->lengths[axis]) * sweep->axis_count + axis] =
            place ? place - 1 : SIZE_MAX;
    }
    text_clear(&combination);
    map_destroy(places);
}

static bool axes_produce(const struct sweep *sweep, const size_t *digits)
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
    size_t *digits = xcalloc(count, sweep->axis_count * sizeof(*digits));
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
            job_reader_complain(
                reader, reader->included[i], "sweep.include",
                "this point appears twice in the list; remove one of them");
        else if (axes_produce(sweep, digits + i * sweep->axis_count))
            job_reader_complain(
                reader, reader->included[i], "sweep.include",
                "the axes of the sweep already produce this point; remove it here");
    }
    text_clear(&point);
    map_destroy(seen);
    free(digits);
}
