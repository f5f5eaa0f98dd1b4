/* rooflines.c - the rooflines of a result file */
#include <stdlib.h>

#include "cli/traces/trace_parts.h"
#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

/* A number of the file may be a JSON number or a text. */
static void
put_number(struct json_write *json, const char *key, const struct json_node *node)
{
    const char *text = view_scalar(node);
    char *end;
    double value = strtod(text, &end);

    json_write_key(json, key);
    if (end == text)
        json_write_null(json);
    else
        json_write_double(json, value);
}

static void put_roof(struct json_write *json, const struct json_node *roof)
{
    const struct json_node *point = json_tree_get(roof, "point"), *x = NULL;

    if (json_tree_is(point, JSON_ARRAY) && point->count == 2)
        x = point->first;
    json_write_object(json);
    put_text(json, "path", view_scalar(json_tree_get(roof, "bw_name")));
    put_number(json, "bandwidth", json_tree_get(roof, "bw"));
    put_text(json, "unit", view_scalar(json_tree_get(roof, "computility_name")));
    put_number(json, "peak", json_tree_get(roof, "computility"));
    put_number(json, "ratio", json_tree_get(roof, "ratio"));
    put_number(json, "intensity", x);
    put_number(json, "performance", x ? x->next : NULL);
    json_write_object_end(json);
}

static const struct json_node *first_of(const struct json_node *list)
{
    return json_tree_is(list, JSON_ARRAY) ? list->first : NULL;
}

static uint64_t put_charts(struct json_write *json, const struct json_node *root)
{
    const struct json_node *chart =
        root ? first_of(json_tree_get(root, "multiple_rooflines")) : NULL;
    uint64_t count = 0;

    for (; chart; chart = chart->next, count++) {
        json_write_object(json);
        put_text(json, "title", view_scalar(json_tree_get(chart, "title")));
        json_write_key(json, "roofs");
        json_write_array(json);
        for (const struct json_node *roof = first_of(json_tree_get(chart, "rooflines"));
             roof; roof = roof->next)
            put_roof(json, roof);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    return count;
}

int trace_part_rooflines(struct trace_part *part, struct err *err)
{
    const struct view_block *block = view_block_find(part->file, BIN_ROOFLINE);
    struct arena *arena = arena_create(16 * 1024);
    const struct json_node *root = NULL;
    struct json_write *json = part->json;
    int result = block ? view_block_tree(&root, part->file, block, arena, err) : 0;

    if (result == 0) {
        put_text(json, "advice",
                 root ? view_scalar(json_tree_get(root, "advice")) : "");
        json_write_key(json, "rows");
        json_write_array(json);
        part->rows = put_charts(json, root);
        json_write_array_end(json);
    }
    arena_destroy(arena);
    return result;
}
