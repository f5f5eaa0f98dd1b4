/* answers_memory.c - memory map and memory tables of one block of the operator */
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_sides.h"

/* The entry of the block that the request names, in the opened file and in the file of
 * a comparison; NULL when a file has none. */
struct entries {
    const struct json_node *compare, *baseline;
};

static int read_entry(struct view_call *call,
                      const struct view_file *file,
                      unsigned type,
                      const char *list,
                      const char *key,
                      const char *block_id,
                      const struct json_node **entry)
{
    const struct view_block *block = file ? view_block_find(file, type) : NULL;
    struct err err;

    *entry = NULL;
    if (block && view_block_element(entry, file, block, list, key, block_id,
                                    call->arena, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    return 0;
}

static int read_entries(struct view_call *call,
                        unsigned type,
                        const char *list,
                        const char *key,
                        struct entries *entries)
{
    struct view_file *file, *other;
    const char *block_id;

    if (call_checked(call, "blockId", &block_id) < 0 || call_file(call, &file) < 0 ||
        call_baseline(call, &other) < 0)
        return -1;
    return read_entry(call, file, type, list, key, block_id, &entries->compare) < 0 ||
                   read_entry(call, other, type, list, key, block_id,
                              &entries->baseline) < 0
               ? -1
               : 0;
}

/* Writes each advice once. */
static void put_advice(struct json_write *json, const struct json_node *entry)
{
    const struct json_node *list = json_tree_get(entry, "advice");
    struct map *seen = map_create();

    json_write_key(json, "advice");
    json_write_array(json);
    if (json_tree_is(list, JSON_ARRAY))
        for (const struct json_node *item = list->first; item; item = item->next)
            if (!map_put(seen, view_scalar(item), seen))
                json_write_text(json, view_scalar(item));
    json_write_array_end(json);
    map_destroy(seen);
}

static void put_part(struct json_write *json,
                     const char *name,
                     const char *key,
                     const struct entries *entries,
                     const struct view_field *fields,
                     size_t count)
{
    json_write_key(json, name);
    json_write_object(json);
    put_sides(json, fields, count, "", json_tree_get(entries->compare, key),
              json_tree_get(entries->baseline, key));
    json_write_object_end(json);
}

static const struct view_field unit_fields[] = {
    {"memoryPath", "memory_path", VIEW_LABEL},
    {"request", "request", VIEW_FIGURE},
    {"requestSuffix", "request_suffix", VIEW_LABEL},
    {"bandwidth", "bandwidth", VIEW_FIGURE},
    {"bandwidthSuffix", "bandwidth_suffix", VIEW_LABEL},
    {"peakRatio", "peak_ratio", VIEW_FIGURE},
    {"display", "display", VIEW_SHOWN},
};

static void put_unit(struct json_write *json,
                     const struct json_node *compare,
                     const struct json_node *baseline)
{
    json_write_object(json);
    put_sides(json, unit_fields, COUNT(unit_fields), "", compare, baseline);
    json_write_object_end(json);
}

/* Writes the paths of the opened file, then those that only the other file has. */
static void put_units(struct json_write *json, const struct entries *entries)
{
    const struct json_node *ours = json_tree_get(entries->compare, "memory_unit");
    const struct json_node *theirs = json_tree_get(entries->baseline, "memory_unit");

    json_write_key(json, "memoryUnit");
    json_write_array(json);
    if (json_tree_is(ours, JSON_ARRAY))
        for (const struct json_node *unit = ours->first; unit; unit = unit->next)
            put_unit(json, unit,
                     view_find(theirs, "memory_path",
                               view_scalar(json_tree_get(unit, "memory_path"))));
    if (json_tree_is(theirs, JSON_ARRAY))
        for (const struct json_node *unit = theirs->first; unit; unit = unit->next)
            if (!view_find(ours, "memory_path",
                           view_scalar(json_tree_get(unit, "memory_path"))))
                put_unit(json, NULL, unit);
    json_write_array_end(json);
}

int answer_memory_map(struct view_call *call)
{
    static const struct view_field cache[] = {
        {"hitRatio", "hit_ratio", VIEW_FIGURE},
        {"hit", "hit", VIEW_FIGURE},
        {"totalRequest", "total_request", VIEW_FIGURE},
        {"miss", "miss", VIEW_FIGURE},
    };
    static const struct view_field core[] = {
        {"cycle", "cycle", VIEW_FIGURE},
        {"totalCycles", "total_cycles", VIEW_FIGURE},
        {"ratio", "ratio", VIEW_FIGURE},
    };
    struct json_write *json = call->body;
    struct entries entries = {0};

    if (read_entries(call, BIN_MEMORY_MAP, "core_memory_map", "core_no", &entries) < 0)
        return -1;
    json_write_key(json, "coreMemory");
    json_write_array(json);
    if (entries.compare) {
        const struct json_node *entry = entries.compare;

        json_write_object(json);
        put_advice(json, entry);
        put_text(json, "blockId", view_scalar(json_tree_get(entry, "core_no")));
        put_text(json, "blockType", view_scalar(json_tree_get(entry, "op_type")));
        put_text(json, "chipType", view_scalar(json_tree_get(entry, "soc")));
        put_part(json, "l2Cache", "L2cache", &entries, cache, COUNT(cache));
        put_units(json, &entries);
        put_part(json, "vector", "Vector", &entries, core, COUNT(core));
        put_part(json, "vector1", "Vector1", &entries, core, COUNT(core));
        put_part(json, "cube", "Cube", &entries, core, COUNT(core));
        json_write_object_end(json);
    }
    json_write_array_end(json);
    return 0;
}

static void
put_row_side(struct json_write *json, const char *side, const struct json_node *row)
{
    json_write_key(json, side);
    json_write_object(json);
    put_text(json, "name", view_scalar(json_tree_get(row, "name")));
    put_scalars(json, "value", json_tree_get(row, "value"));
    json_write_object_end(json);
}

static void put_row(struct json_write *json,
                    const struct json_node *row,
                    const struct json_node *other)
{
    const struct json_node *ours = json_tree_get(row, "value");
    const struct json_node *theirs = json_tree_get(other, "value");

    json_write_object(json);
    put_row_side(json, "compare", row);
    put_row_side(json, "baseline", other);
    json_write_key(json, "diff");
    json_write_object(json);
    put_text(json, "name", other ? view_scalar(json_tree_get(row, "name")) : "");
    json_write_key(json, "value");
    json_write_array(json);
    ours = json_tree_is(ours, JSON_ARRAY) ? ours->first : NULL;
    theirs = json_tree_is(theirs, JSON_ARRAY) ? theirs->first : NULL;
    for (; other && ours; ours = ours->next) {
        put_difference(json, view_scalar(ours), view_scalar(theirs));
        theirs = theirs ? theirs->next : NULL;
    }
    json_write_array_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void put_table(struct json_write *json,
                      const struct json_node *table,
                      const struct json_node *other)
{
    const struct json_node *rows = json_tree_get(table, "row");

    if (!json_tree_is(rows, JSON_ARRAY))
        return;
    json_write_object(json);
    put_scalars(json, "headerName", json_tree_get(table, "header_name"));
    put_text(json, "tableName", view_scalar(json_tree_get(table, "table_name")));
    put_scalars(json, "size", json_tree_get(table, "size"));
    json_write_key(json, "row");
    json_write_array(json);
    for (const struct json_node *row = rows->first; row; row = row->next)
        put_row(json, row,
                view_find(json_tree_get(other, "row"), "name",
                          view_scalar(json_tree_get(row, "name"))));
    json_write_array_end(json);
    json_write_object_end(json);
}

int answer_memory_table(struct view_call *call)
{
    struct json_write *json = call->body;
    struct entries entries = {0};

    if (read_entries(call, BIN_MEMORY_TABLE, "table_per_block", "block_id", &entries) <
        0)
        return -1;
    json_write_key(json, "memoryTable");
    json_write_array(json);
    if (entries.compare) {
        const struct json_node *entry = entries.compare;
        const struct json_node *tables = json_tree_get(entry, "table_detail");
        const struct json_node *others =
            json_tree_get(entries.baseline, "table_detail");

        json_write_object(json);
        put_advice(json, entry);
        put_text(json, "blockId", view_scalar(json_tree_get(entry, "block_id")));
        put_text(json, "tableOpType",
                 view_scalar(json_tree_get(entry, "table_op_type")));
        json_write_key(json, "tableDetail");
        json_write_array(json);
        if (json_tree_is(tables, JSON_ARRAY))
            for (const struct json_node *table = tables->first; table;
                 table = table->next)
                put_table(json, table,
                          view_find(others, "table_name",
                                    view_scalar(json_tree_get(table, "table_name"))));
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    return 0;
}
