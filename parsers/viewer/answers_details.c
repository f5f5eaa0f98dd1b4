/* answers_details.c - the operator as a whole, and its compute workload */
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_sides.h"

/* Parses a block of an open file. *root is NULL when there is no file or no block. */
static int read_root(struct view_call *call,
                     const struct view_file *file,
                     unsigned type,
                     const struct json_node **root)
{
    const struct view_block *block = file ? view_block_find(file, type) : NULL;
    struct err err;

    *root = NULL;
    if (block && view_block_tree(root, file, block, call->arena, &err) < 0) {
        *root = NULL;
        return call_fail_err(call, VIEW_FILE, &err);
    }
    return 0;
}

/* Writes the durations of the blocks of the operator. */
static void put_blocks(struct json_write *json, const struct json_node *root)
{
    bool is_mix = strcmp(view_scalar(json_tree_get(root, "op_type")), "mix") == 0;
    const struct json_node *table =
        json_tree_get(root, is_mix ? "mix_block_detail" : "block_detail");
    const struct json_node *rows = json_tree_get(table, "row");

    json_write_key(json, "blockDetail");
    json_write_object(json);
    put_scalars(json, "headerName", json_tree_get(table, "head_name"));
    put_scalars(json, "size", json_tree_get(table, "size"));
    json_write_key(json, "row");
    json_write_array(json);
    if (json_tree_is(rows, JSON_ARRAY))
        for (const struct json_node *row = rows->first; row; row = row->next) {
            json_write_object(json);
            put_scalars(json, "value", json_tree_get(row, "value"));
            json_write_object_end(json);
        }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void
put_basic_info(struct json_write *json, const char *side, const struct json_node *root)
{
    static const char *const members[][2] = {
        {"name", "name"},
        {"soc", "soc"},
        {"opType", "op_type"},
        {"blockDim", "block_dim"},
        {"mixBlockDim", "mix_block_dim"},
        {"duration", "duration"},
        {"deviceId", "device_id"},
        {"pid", "pid"},
    };

    json_write_key(json, side);
    json_write_object(json);
    for (size_t i = 0; i < COUNT(members); i++)
        put_text(json, members[i][0], view_scalar(json_tree_get(root, members[i][1])));
    put_blocks(json, root);
    put_empty_list(json, "advice");
    json_write_object_end(json);
}

/* The page throws on a failed answer, so a damaged block is an empty side. */
int answer_basic_info(struct view_call *call)
{
    const struct json_node *compare, *baseline;
    struct view_file *file, *other;

    if (call_file(call, &file) < 0 || call_baseline(call, &other) < 0)
        return -1;
    read_root(call, file, BIN_BASIC_INFO, &compare);
    read_root(call, other, BIN_BASIC_INFO, &baseline);
    put_basic_info(call->body, "compare", compare);
    put_basic_info(call->body, "baseline", baseline);
    return 0;
}

/* Blocks of the workload; block_type and name together are the key of an item. */
struct workload {
    const struct json_node *compare, *baseline;
};

static const char *item_key(struct arena *arena, const struct json_node *item)
{
    return arena_printf(arena, "%s\n%s\n%s",
                        view_scalar(json_tree_get(item, "block_id")),
                        view_scalar(json_tree_get(item, "block_type")),
                        view_scalar(json_tree_get(item, "name")));
}

static const struct json_node *items_of(const struct json_node *root)
{
    const struct json_node *items = json_tree_get(root, "subblock_detail");

    return json_tree_is(items, JSON_ARRAY) ? items->first : NULL;
}

static void
put_items(struct view_call *call, const char *name, const struct workload *workload)
{
    static const struct view_field fields[] = {
        {"blockId", "block_id", VIEW_LABEL},
        {"blockType", "block_type", VIEW_LABEL},
        {"name", "name", VIEW_LABEL},
        {"unit", "unit", VIEW_UNIT},
        {"value", "value", VIEW_FIGURE},
        {"originValue", "origin_value", VIEW_FIGURE},
    };
    struct map *baseline = map_create();
    struct json_write *json = call->body;

    for (const struct json_node *item = items_of(workload->baseline); item;
         item = item->next)
        map_put(baseline, item_key(call->arena, item), (void *)(uintptr_t)item);
    json_write_key(json, name);
    json_write_object(json);
    json_write_key(json, "detailDataList");
    json_write_array(json);
    for (const struct json_node *item = items_of(workload->compare); item;
         item = item->next) {
        json_write_object(json);
        put_sides(json, fields, COUNT(fields), "-", item,
                  map_get(baseline, item_key(call->arena, item)));
        json_write_object_end(json);
    }
    json_write_array_end(json);
    put_scalars(json, "advice", json_tree_get(workload->compare, "advice"));
    json_write_object_end(json);
    map_destroy(baseline);
}

/* Writes each block once. */
static void put_block_ids(struct json_write *json, const struct workload workloads[2])
{
    struct map *seen = map_create();

    json_write_key(json, "blockIdList");
    json_write_array(json);
    for (int i = 0; i < 2; i++)
        for (const struct json_node *item = items_of(workloads[i].compare); item;
             item = item->next) {
            const char *id = view_scalar(json_tree_get(item, "block_id"));

            if (!map_put(seen, id, seen))
                json_write_text(json, id);
        }
    json_write_array_end(json);
    map_destroy(seen);
}

int answer_workload(struct view_call *call)
{
    static const unsigned types[] = {BIN_WORKLOAD_CHART, BIN_WORKLOAD_TABLE};
    struct workload workloads[2] = {{0}};
    struct view_file *file, *other;

    if (call_file(call, &file) < 0 || call_baseline(call, &other) < 0)
        return -1;
    if (!view_block_find(file, BIN_WORKLOAD_CHART) &&
        !view_block_find(file, BIN_WORKLOAD_TABLE))
        return call_fail(call, VIEW_DATA, "%s has no compute workload", file->shown);
    for (size_t i = 0; i < COUNT(types); i++)
        if (read_root(call, file, types[i], &workloads[i].compare) < 0 ||
            read_root(call, other, types[i], &workloads[i].baseline) < 0)
            return -1;
    put_block_ids(call->body, workloads);
    put_items(call, "chartData", &workloads[0]);
    put_items(call, "tableData", &workloads[1]);
    return 0;
}
