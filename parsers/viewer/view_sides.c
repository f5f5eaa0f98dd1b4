#include "parsers/viewer/view_sides.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/view_file/view_file.h"

static const char *unit_text(const struct json_node *node)
{
    static const char *const units[] = {"Duration(μs)", "Instructions",
                                        "Data Volume(byte)", "PRE"};
    uint64_t unit;

    return num_parse_u64(view_scalar(node), &unit) && unit < COUNT(units) ? units[unit]
                                                                          : "";
}

static bool is_one(const struct json_node *node)
{
    double value;

    return num_parse_double(view_scalar(node), &value) && value == 1;
}

void put_difference(struct json_write *json, const char *compare, const char *baseline)
{
    double a, b;
    char text[400];
    size_t length;

    if (!num_parse_double(compare, &a) || !num_parse_double(baseline, &b)) {
        json_write_text(json, "");
        return;
    }
    length = (size_t)snprintf(text, sizeof(text), "%.3f", a - b);
    while (text[length - 1] == '0')
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[--length] = '\0';
    json_write_text(json, strcmp(text, "-0") == 0 ? "0" : text);
}

static void put_field(struct json_write *json,
                      const struct view_field *field,
                      const char *none,
                      const struct json_node *side)
{
    const struct json_node *value = json_tree_get(side, field->key);

    json_write_key(json, field->name);
    if (field->kind == VIEW_SHOWN)
        json_write_bool(json, is_one(value));
    else if (field->kind == VIEW_UNIT)
        json_write_text(json, unit_text(value));
    else
        json_write_text(json, !side && field->kind == VIEW_FIGURE ? none
                                                                  : view_scalar(value));
}

static void put_side(struct json_write *json,
                     const char *name,
                     const struct view_field *fields,
                     size_t count,
                     const char *none,
                     const struct json_node *side)
{
    json_write_key(json, name);
    json_write_object(json);
    for (size_t i = 0; i < count; i++)
        put_field(json, &fields[i], none, side);
    json_write_object_end(json);
}

void put_sides(struct json_write *json,
               const struct view_field *fields,
               size_t count,
               const char *none,
               const struct json_node *compare,
               const struct json_node *baseline)
{
    put_side(json, "compare", fields, count, none, compare);
    put_side(json, "baseline", fields, count, none, baseline);
    if (!compare || !baseline) {
        put_side(json, "diff", fields, count, none, NULL);
        return;
    }
    json_write_key(json, "diff");
    json_write_object(json);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].kind != VIEW_FIGURE) {
            put_field(json, &fields[i], none, compare);
            continue;
        }
        json_write_key(json, fields[i].name);
        put_difference(json, view_scalar(json_tree_get(compare, fields[i].key)),
                       view_scalar(json_tree_get(baseline, fields[i].key)));
    }
    json_write_object_end(json);
}

const struct json_node *
view_find(const struct json_node *list, const char *key, const char *value)
{
    if (json_tree_is(list, JSON_ARRAY))
        for (const struct json_node *item = list->first; item; item = item->next)
            if (strcmp(view_scalar(json_tree_get(item, key)), value) == 0)
                return item;
    return NULL;
}

void put_scalars(struct json_write *json, const char *key, const struct json_node *list)
{
    json_write_key(json, key);
    json_write_array(json);
    if (json_tree_is(list, JSON_ARRAY))
        for (const struct json_node *item = list->first; item; item = item->next)
            json_write_text(json, view_scalar(item));
    json_write_array_end(json);
}
