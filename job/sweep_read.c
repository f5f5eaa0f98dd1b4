/* sweep_read.c - sweep.matrix, sweep.zip, sweep.exclude and cards.ids */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "job/reader.h"

enum {
    VARIABLES_MAX = 256,
    VALUE_BYTES_MAX = 1024,
    EXCLUDES_MAX = 256,
    EXCLUDE_BYTES_MAX = 4096,
    CARD_MAX = 65535,
};
/* Combinations times bytes of excludes: some seconds of work, which a job file may not
 * ask of the coordinator. */
#define EXCLUDE_WORK_MAX 2000000000u

static const char card_name[] = "card";

struct axes {
    struct reader *reader;
    size_t lengths[JOB_AXES_MAX];
    size_t count;
    struct variable variables[VARIABLES_MAX];
    size_t variable_count;
};

/* The values of one name; count 1 and an empty one where the list is wrong, so that
 * the name is known all the same. */
static size_t read_values(struct axes *axes,
                          const struct yaml_node *list,
                          const char *key,
                          bool distinct,
                          struct variable *variable)
{
    struct reader *reader = axes->reader;
    bool good = reader_is(reader, list, key, YAML_LIST);
    size_t count = good ? list->count : 1, i = 0;
    struct value *values = arena_calloc(reader->job->arena, count, sizeof(*values));
    struct map *seen = map_create();
    char place[READER_KEY_MAX];

    values[0] = value_of("");
    variable->values = values;
    variable->all_numbers = good;
    for (const struct yaml_node *node = good ? list->first : NULL; node;
         node = node->next, i++) {
        const char *text =
            reader_text(reader, node, reader_key(place, key, i), VALUE_BYTES_MAX);

        values[i] = value_of(text ? text : "");
        if (text && node->length > variable->longest)
            variable->longest = node->length;
        variable->all_numbers = variable->all_numbers && (!text || values[i].is_number);
        if (text && distinct && map_put(seen, text, values))
            reader_complain(reader, node, place, "'%.64s' stands twice in the list",
                            text);
    }
    map_destroy(seen);
    return count;
}

static bool
name_is_free(struct axes *axes, const struct yaml_node *name, const char *key)
{
    struct reader *reader = axes->reader;

    if (!variable_name_is_good(name->text)) {
        reader_complain(reader, name, key,
                        "a name has letters, digits and _ only, up to 64");
        return false;
    }
    if (strcmp(name->text, card_name) == 0) {
        reader_complain(reader, name, key,
                        "'card' is the name that cards.ids gives values to");
        return false;
    }
    for (size_t i = 0; i < axes->variable_count; i++)
        if (strcmp(axes->variables[i].name, name->text) == 0) {
            reader_complain(reader, name, key, "the sweep has a '%s' already",
                            name->text);
            return false;
        }
    return true;
}

static bool add_axis(struct axes *axes, const struct yaml_node *at, const char *key)
{
    if (axes->count == JOB_AXES_MAX) {
        reader_complain(axes->reader, at, key, "more than %d axes", JOB_AXES_MAX);
        return false;
    }
    axes->lengths[axes->count++] = 1;
    return true;
}

/* A name and its values on the axis added last; how many values it has, or 0. */
static size_t add_name(struct axes *axes,
                       const struct yaml_node *list,
                       const char *section,
                       bool distinct)
{
    char key[READER_KEY_MAX];

    snprintf(key, sizeof(key), "%s.%.64s", section, list->key->text);
    if (!name_is_free(axes, list->key, key))
        return 0;
    if (axes->variable_count == VARIABLES_MAX) {
        reader_complain(axes->reader, list->key, key, "more than %d names",
                        VARIABLES_MAX);
        return 0;
    }
    struct variable *variable = &axes->variables[axes->variable_count++];
    variable->name = arena_strdup(axes->reader->job->arena, list->key->text);
    variable->axis = axes->count - 1;
    return read_values(axes, list, key, distinct, variable);
}

static void read_matrix(struct axes *axes, const struct yaml_node *matrix)
{
    if (!reader_is(axes->reader, matrix, "sweep.matrix", YAML_MAP))
        return;
    for (const struct yaml_node *list = matrix->first; list; list = list->next) {
        if (!add_axis(axes, list->key, "sweep.matrix"))
            return;
        size_t count = add_name(axes, list, "sweep.matrix", true);
        axes->lengths[axes->count - 1] = count ? count : 1;
    }
}

/* A value may stand twice in lists that advance together, but not a whole choice. */
static void
check_choices(struct axes *axes, const struct yaml_node *entry, const char *key)
{
    const struct yaml_node *nodes[VARIABLES_MAX];
    struct map *seen = map_create();
    struct text choice = {0};
    size_t lists = 0;

    for (const struct yaml_node *list = entry->first; list && lists < VARIABLES_MAX;
         list = list->next)
        nodes[lists++] = list->first;
    while (nodes[0]) {
        const struct yaml_node *place = nodes[0];

        text_reset(&choice);
        for (size_t i = 0; i < lists; i++) {
            text_printf(&choice, "%zu:%s", nodes[i]->length, nodes[i]->text);
            nodes[i] = nodes[i]->next;
        }
        if (map_put(seen, text_get(&choice), axes))
            reader_complain(axes->reader, place, key, "the same choice stands twice");
    }
    text_clear(&choice);
    map_destroy(seen);
}

static void
read_zip_entry(struct axes *axes, const struct yaml_node *entry, const char *key)
{
    const struct yaml_node *first = NULL;
    char name[READER_KEY_MAX + 80];
    bool even = true;

    for (const struct yaml_node *list = entry->first; list; list = list->next) {
        size_t count = add_name(axes, list, key, false);

        if (!count || list->kind != YAML_LIST) {
            even = false;
            continue;
        }
        if (!first) {
            first = list;
            axes->lengths[axes->count - 1] = count;
        } else if (list->count != first->count) {
            even = false;
            snprintf(name, sizeof(name), "%s.%.64s", key, list->key->text);
            reader_complain(axes->reader, list, name,
                            "%zu values, but '%.64s' has %zu: lists that advance "
                            "together are equally long",
                            list->count, first->key->text, first->count);
        }
    }
    if (even && first)
        check_choices(axes, entry, key);
}

static void read_zip(struct axes *axes, const struct yaml_node *zip)
{
    char key[READER_KEY_MAX];
    size_t place = 0;

    if (!reader_is(axes->reader, zip, "sweep.zip", YAML_LIST))
        return;
    for (const struct yaml_node *entry = zip->first; entry; entry = entry->next) {
        reader_key(key, "sweep.zip", place++);
        if (!reader_is(axes->reader, entry, key, YAML_MAP))
            continue;
        if (!add_axis(axes, entry, key))
            return;
        read_zip_entry(axes, entry, key);
    }
}

static void read_cards(struct axes *axes, const struct yaml_node *ids)
{
    struct reader *reader = axes->reader;
    char key[READER_KEY_MAX];
    size_t place = 0;
    uint64_t number;

    if (!add_axis(axes, ids, "cards.ids") || axes->variable_count == VARIABLES_MAX)
        return;
    struct variable *variable = &axes->variables[axes->variable_count++];
    *variable = (struct variable){.name = card_name, .axis = axes->count - 1};
    axes->lengths[axes->count - 1] =
        read_values(axes, ids, "cards.ids", true, variable);
    if (ids->kind != YAML_LIST)
        return;
    reader->job->has_cards = true;
    for (const struct yaml_node *id = ids->first; id; id = id->next, place++)
        if (id->kind == YAML_TEXT && id->length &&
            (!num_parse_u64(id->text, &number) || number > CARD_MAX ||
             (id->length > 1 && id->text[0] == '0')))
            reader_complain(reader, id, reader_key(key, "cards.ids", place),
                            "a card number from 0 to %d is wanted, not '%.64s'",
                            CARD_MAX, id->text);
}

void sweep_read_axes(struct reader *reader)
{
    struct axes *axes = xcalloc(1, sizeof(*axes));
    struct sweep *sweep = &reader->job->sweep;
    struct arena *arena = reader->job->arena;

    axes->reader = reader;
    if (reader->matrix)
        read_matrix(axes, reader->matrix);
    if (reader->zip)
        read_zip(axes, reader->zip);
    if (reader->ids)
        read_cards(axes, reader->ids);
    sweep->axis_count = axes->count;
    sweep->lengths =
        arena_memdup(arena, axes->lengths, axes->count * sizeof(*axes->lengths));
    sweep->variables = (struct variables){
        .items = arena_memdup(arena, axes->variables,
                              axes->variable_count * sizeof(*axes->variables)),
        .count = axes->variable_count,
    };
    free(axes);
    if (!sweep_multiply(sweep, JOB_POINTS_MAX))
        reader_complain(reader, reader->sweep ? reader->sweep : reader->ids, "sweep",
                        "more than %d points", JOB_POINTS_MAX);
}

static void
read_exclude(struct reader *reader, const struct yaml_node *node, const char *key)
{
    struct sweep *sweep = &reader->job->sweep;
    const char *text = reader_text(reader, node, key, EXCLUDE_BYTES_MAX);
    struct err err;
    size_t offset;

    if (!text)
        return;
    if (expression_parse(&sweep->excludes[sweep->exclude_count], text,
                         &sweep->variables, reader->job->arena, &offset, &err) < 0)
        reader_complain_inside(reader, node, offset, key, err.text);
    else
        sweep->exclude_count++;
}

void sweep_read_excludes(struct reader *reader)
{
    const struct yaml_node *list = reader->exclude;
    struct sweep *sweep = &reader->job->sweep;
    char key[READER_KEY_MAX];
    size_t place = 0, bytes = 0;

    if (!list || !reader_is(reader, list, "sweep.exclude", YAML_LIST))
        return;
    if (list->count > EXCLUDES_MAX) {
        reader_complain(reader, list, "sweep.exclude", "more than %d expressions",
                        EXCLUDES_MAX);
        return;
    }
    sweep->excludes =
        arena_calloc(reader->job->arena, list->count, sizeof(*sweep->excludes));
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        read_exclude(reader, node, reader_key(key, "sweep.exclude", place++));
        bytes += node->length;
    }
    if (sweep->combinations <= JOB_POINTS_MAX &&
        bytes * sweep->combinations > EXCLUDE_WORK_MAX)
        reader_complain(reader, list, "sweep.exclude",
                        "too much to exclude: %zu bytes of expressions for %llu "
                        "combinations",
                        bytes, (unsigned long long)sweep->combinations);
}
