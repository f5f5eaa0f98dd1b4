/* sweep_read.c - sweep.matrix, sweep.zip, sweep.exclude and cards.ids */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/axes.h"

enum { EXCLUDES_MAX = 256, EXCLUDE_BYTES_MAX = 4096 };

/* Limits combinations times bytes of expressions. The coordinator checks every
 * submitted job file; at this limit the check takes some seconds. */
#define EXCLUDE_WORK_MAX 2000000000u

/* Adds a variable of `section` with its values. Returns their number, or 0 after it has
 * reported a problem. */
static size_t read_name(struct axes *axes,
                        const struct yaml_node *node,
                        const char *section,
                        bool distinct)
{
    char key[JOB_READER_KEY_MAX + 80];
    size_t count = 0;

    snprintf(key, sizeof(key), "%s.%.64s", section, node->key->text);
    struct variable *variable = axes_add_name(axes, node->key, key);
    if (variable && axes_read_values(axes, node, key, distinct, variable, &count))
        return count;
    return 0;
}

static void read_matrix(struct axes *axes, const struct yaml_node *matrix)
{
    if (!job_reader_is(axes->reader, matrix, "sweep.matrix", YAML_MAP))
        return;
    for (const struct yaml_node *node = matrix->first; node; node = node->next) {
        if (!axes_add(axes, node->key, "sweep.matrix"))
            return;
        size_t count = read_name(axes, node, "sweep.matrix", true);
        axes->lengths[axes->count - 1] = count ? count : 1;
    }
}

/* Reports combinations that appear twice. A single value may appear twice in a list. */
static void check_combinations(struct axes *axes,
                               const struct yaml_node *entry,
                               const char *key,
                               const struct variable *variables,
                               size_t count)
{
    const struct yaml_node *list = entry->first;
    const struct yaml_node *place = list->kind == YAML_LIST ? list->first : NULL;
    struct map *seen = map_create();
    struct text combination = {0};

    for (size_t i = 0; i < axes->lengths[axes->count - 1]; i++) {
        text_reset(&combination);
        for (size_t v = 0; v < count; v++)
            text_printf(&combination, "%zu:%s", strlen(variables[v].values[i].text),
                        variables[v].values[i].text);
        if (map_put(seen, text_get(&combination), axes))
            job_reader_complain(axes->reader, place ? place : entry, key,
                                "this combination of values appears twice in the "
                                "lists; remove one of them");
        place = place ? place->next : NULL;
    }
    text_clear(&combination);
    map_destroy(seen);
}

static void
read_zip_entry(struct axes *axes, const struct yaml_node *entry, const char *key)
{
    const struct variable *variables = &axes->variables[axes->variable_count];
    size_t before = axes->variable_count, first = 0;
    char name[JOB_READER_KEY_MAX + 80];
    bool same_length = true;

    for (const struct yaml_node *list = entry->first; list; list = list->next) {
        size_t count = read_name(axes, list, key, false);

        if (!count) {
            same_length = false;
        } else if (!first) {
            axes->lengths[axes->count - 1] = first = count;
        } else if (count != first) {
            same_length = false;
            snprintf(name, sizeof(name), "%s.%.64s", key, list->key->text);
            job_reader_complain(axes->reader, list, name,
                                "%zu values, but '%.64s' has %zu; the lists of a zip "
                                "entry must have the same length",
                                count, variables[0].name, first);
        }
    }
    if (same_length && first)
        check_combinations(axes, entry, key, variables, axes->variable_count - before);
}

/* Reads a list of entries, or a map of named entries. The names serve readers only. */
static void read_zip(struct axes *axes, const struct yaml_node *zip)
{
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (zip->kind != YAML_MAP &&
        !job_reader_is(axes->reader, zip, "sweep.zip", YAML_LIST))
        return;
    for (const struct yaml_node *entry = zip->first; entry; entry = entry->next) {
        if (entry->key)
            snprintf(key, sizeof(key), "sweep.zip.%.64s", entry->key->text);
        else
            job_reader_key(key, "sweep.zip", place++);
        if (!job_reader_is(axes->reader, entry, key, YAML_MAP))
            continue;
        if (!axes_add(axes, entry, key))
            return;
        read_zip_entry(axes, entry, key);
    }
}

static void read_cards(struct axes *axes, const struct yaml_node *ids)
{
    struct job_reader *reader = axes->reader;
    char key[JOB_READER_KEY_MAX];
    size_t count;

    if (!axes_add(axes, ids, "cards.ids") || axes->variable_count == AXES_NAMES_MAX)
        return;
    struct variable *variable = &axes->variables[axes->variable_count++];
    *variable = (struct variable){.name = axes_card, .axis = axes->count - 1};
    reader->job->has_cards =
        axes_read_values(axes, ids, "cards.ids", true, variable, &count);
    axes->lengths[axes->count - 1] = count;
    const struct yaml_node *id = ids->kind == YAML_LIST ? ids->first : NULL;
    for (size_t i = 0; reader->job->has_cards && i < count; i++) {
        const char *text = variable->values[i].text;

        if (*text && !axes_is_card(text))
            job_reader_complain(reader, id ? id : ids,
                                job_reader_key(key, "cards.ids", i),
                                "expected a card number from 0 to %d without leading "
                                "zeros, found '%.64s'",
                                AXES_CARD_MAX, text);
        id = id ? id->next : NULL;
    }
}

/* Finds the variables that keys have added, in the final array. */
static void find_made_variables(struct job_reader *reader)
{
    struct job *job = reader->job;
    const struct variables *variables = &job->sweep.variables;

    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *variable = &variables->items[i];
        bool is_part = variable->values == parts_values;
        bool is_shift = reader->rotate && strcmp(variable->name, axes_shift) == 0;
        bool is_pair = reader->pairs && strcmp(variable->name, axes_pair) == 0;

        job->part = is_part ? variable : job->part;
        job->shift = is_shift ? variable : job->shift;
        job->pair = is_pair ? variable : job->pair;
        variables->used[i] |= is_part || is_shift || is_pair;
    }
}

void sweep_read_axes(struct job_reader *reader)
{
    struct axes *axes = xcalloc(1, sizeof(*axes));
    struct sweep *sweep = &reader->job->sweep;
    struct arena *arena = reader->job->arena;

    axes->reader = reader;
    if (reader->matrix)
        read_matrix(axes, reader->matrix);
    if (reader->zip)
        read_zip(axes, reader->zip);
    if (reader->include)
        include_read_names(axes, reader->include);
    pairs_read_axis(axes);
    rotation_read_axis(axes);
    parts_read_axis(axes);
    if (reader->ids)
        read_cards(axes, reader->ids);
    if (reader->include)
        include_read(axes, reader->include);
    sweep->axis_count = axes->count;
    sweep->lengths =
        arena_memdup(arena, axes->lengths, axes->count * sizeof(*axes->lengths));
    sweep->variables = (struct variables){
        .items = arena_memdup(arena, axes->variables,
                              axes->variable_count * sizeof(*axes->variables)),
        .count = axes->variable_count,
        .used = arena_calloc(arena, axes->variable_count, sizeof(bool)),
    };
    find_made_variables(reader);
    free(axes);
    if (!sweep_multiply(sweep, JOB_POINTS_MAX))
        job_reader_complain(
            reader, reader->sweep ? reader->sweep : reader->ids, "sweep",
            "the sweep has more than %d points; shorten its lists or divide the job",
            JOB_POINTS_MAX);
}

static void
read_exclude(struct job_reader *reader, const struct yaml_node *node, const char *key)
{
    struct sweep *sweep = &reader->job->sweep;
    const char *text = job_reader_text(reader, node, key, EXCLUDE_BYTES_MAX);
    struct err err;
    size_t offset;

    if (!text)
        return;
    if (expression_parse(&sweep->excludes[sweep->exclude_count], text,
                         &sweep->variables, reader->job->arena, &offset, &err) < 0)
        job_reader_complain_inside(reader, node, offset, key, err.text);
    else
        sweep->exclude_count++;
}

void sweep_read_excludes(struct job_reader *reader)
{
    const struct yaml_node *list = reader->exclude;
    struct sweep *sweep = &reader->job->sweep;
    char key[JOB_READER_KEY_MAX];
    size_t place = 0, bytes = 0;

    if (!list || !job_reader_is(reader, list, "sweep.exclude", YAML_LIST))
        return;
    if (list->count > EXCLUDES_MAX) {
        job_reader_complain(reader, list, "sweep.exclude",
                            "the list has %zu expressions, at most %d are allowed",
                            list->count, EXCLUDES_MAX);
        return;
    }
    sweep->excludes =
        arena_calloc(reader->job->arena, list->count, sizeof(*sweep->excludes));
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        read_exclude(reader, node, job_reader_key(key, "sweep.exclude", place++));
        bytes += node->length;
    }
    if (sweep->combinations <= JOB_POINTS_MAX &&
        bytes * sweep->combinations > EXCLUDE_WORK_MAX)
        job_reader_complain(
            reader, list, "sweep.exclude",
            "checking %zu bytes of expressions for each of %llu combinations takes too "
            "long; use fewer expressions or a smaller sweep",
            bytes, (unsigned long long)sweep->combinations);
}
