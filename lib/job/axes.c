#include "lib/job/axes.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/range.h"

enum { VALUES_MAX = 1 << 20 };

const char axes_card[] = "card";

bool axes_is_card(const char *text)
{
    uint64_t number;

    return num_parse_u64(text, &number) && number <= AXES_CARD_MAX &&
           (text[0] != '0' || !text[1]);
}

bool axes_have_room(struct axes *axes,
                    const struct yaml_node *node,
                    const char *key,
                    size_t count)
{
    if (count <= VALUES_MAX - axes->value_count) {
        axes->value_count += count;
        return true;
    }
    job_reader_complain(
        axes->reader, node, key,
        "the sweep has more than %d values; shorten its lists and ranges", VALUES_MAX);
    return false;
}

static bool read_range(struct axes *axes,
                       const struct yaml_node *map,
                       const char *key,
                       struct variable *variable,
                       size_t *count)
{
    struct arena *arena = axes->reader->job->arena;
    struct range range;
    char text[RANGE_TEXT_MAX];

    if (!range_read(axes->reader, map, key, &range) ||
        !axes_have_room(axes, map, key, range.count))
        return false;
    struct value *values = arena_calloc(arena, range.count, sizeof(*values));
    for (size_t i = 0; i < range.count; i++) {
        range_value(&range, i, text);
        values[i] = value_of(arena_strdup(arena, text));
        if (strlen(text) > variable->longest)
            variable->longest = strlen(text);
    }
    variable->values = values;
    *count = range.count;
    return true;
}

static bool read_list(struct axes *axes,
                      const struct yaml_node *list,
                      const char *key,
                      bool distinct,
                      struct variable *variable,
                      size_t *count)
{
    struct job_reader *reader = axes->reader;

    if (!job_reader_is(reader, list, key, YAML_LIST) ||
        !axes_have_room(axes, list, key, list->count))
        return false;
    struct value *values =
        arena_calloc(reader->job->arena, list->count, sizeof(*values));
    struct map *seen = map_create();
    char place[JOB_READER_KEY_MAX];
    size_t i = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        const char *text = job_reader_text(reader, node, job_reader_key(place, key, i),
                                           AXES_VALUE_BYTES_MAX);

        values[i] = value_of(text ? text : "");
        if (text && node->length > variable->longest)
            variable->longest = node->length;
        variable->all_numbers = variable->all_numbers && (!text || values[i].is_number);
        if (text && distinct && map_put(seen, text, values))
            job_reader_complain(reader, node, place,
                                "'%.64s' appears twice in the list; remove one of them",
                                text);
    }
    map_destroy(seen);
    variable->values = values;
    *count = list->count;
    return true;
}

bool axes_read_values(struct axes *axes,
                      const struct yaml_node *node,
                      const char *key,
                      bool distinct,
                      struct variable *variable,
                      size_t *count)
{
    static const struct value none = {.text = ""};

    variable->all_numbers = true;
    if (node->kind == YAML_MAP ? read_range(axes, node, key, variable, count)
                               : read_list(axes, node, key, distinct, variable, count))
        return true;
    variable->all_numbers = false;
    variable->values = &none;
    *count = 1;
    return false;
}

static bool
name_is_free(struct axes *axes, const struct yaml_node *name, const char *key)
{
    struct job_reader *reader = axes->reader;

    if (!variable_name_is_good(name->text)) {
        job_reader_complain(reader, name, key,
                            "invalid name '%.64s'; use up to 64 letters, digits and _, "
                            "without a digit in front",
                            name->text);
        return false;
    }
    if (strcmp(name->text, axes_card) == 0) {
        job_reader_complain(reader, name, key,
                            "the name 'card' is reserved for the values of cards.ids; "
                            "use another name");
        return false;
    }
    for (size_t i = 0; i < axes->variable_count; i++)
        if (strcmp(axes->variables[i].name, name->text) == 0) {
            job_reader_complain(
                reader, name, key,
                "the sweep already has a variable '%s'; use another name", name->text);
            return false;
        }
    return true;
}

bool axes_add(struct axes *axes, const struct yaml_node *at, const char *key)
{
    if (axes->count == JOB_AXES_MAX) {
        job_reader_complain(axes->reader, at, key,
                            "the sweep has more than %d axes; join some of them in an "
                            "entry of sweep.zip",
                            JOB_AXES_MAX);
        return false;
    }
    axes->lengths[axes->count++] = 1;
    return true;
}

const struct variable *axes_add_fixed(struct axes *axes,
                                      const struct yaml_node *at,
                                      const char *key,
                                      const char *name,
                                      const struct value *values,
                                      size_t count)
{
    const struct yaml_node named = {
        .kind = YAML_TEXT,
        .file = at->file,
        .line = at->line,
        .column = at->column,
        .text = name,
        .length = strlen(name),
    };
    struct variable *variable;

    if (axes->reader->include) {
        job_reader_complain(axes->reader, at, key,
                            "the key adds a variable '%s' to the sweep, whose values "
                            "the points of sweep.include do not have; use sweep.matrix "
                            "and sweep.exclude",
                            name);
        return NULL;
    }
    if (!axes_have_room(axes, at, key, count) || !axes_add(axes, at, key))
        return NULL;
    variable = axes_add_name(axes, &named, key);
    if (!variable)
        return NULL;
    variable->values = values;
    variable->all_numbers = true;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(values[i].text);

        variable->longest = length > variable->longest ? length : variable->longest;
        variable->all_numbers &= values[i].is_number;
    }
    axes->lengths[axes->count - 1] = count;
    return variable;
}

struct variable *
axes_add_name(struct axes *axes, const struct yaml_node *name, const char *key)
{
    if (!name_is_free(axes, name, key))
        return NULL;
    if (axes->variable_count == AXES_NAMES_MAX) {
        job_reader_complain(axes->reader, name, key,
                            "the sweep has more than %d variables; remove some",
                            AXES_NAMES_MAX);
        return NULL;
    }
    struct variable *variable = &axes->variables[axes->variable_count++];
    *variable = (struct variable){
        .name = arena_strdup(axes->reader->job->arena, name->text),
        .axis = axes->count - 1,
    };
    return variable;
}
