/* answers_roofline.c - rooflines, cache lines and reasons of stalls
 *
 * The pages throw on a failed answer about rooflines, so a damaged block is an empty
 * list with an error beside it. */
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_sides.h"
#include "parsers/viewer/viewer_internal.h"

static const struct json_node *
read_root(struct view_call *call, const struct view_file *file, unsigned type)
{
    const struct view_block *block = file ? view_block_find(file, type) : NULL;
    const struct json_node *root = NULL;
    struct err err;

    if (block && view_block_tree(&root, file, block, call->arena, &err) < 0) {
        call_fail_err(call, VIEW_FILE, &err);
        return NULL;
    }
    return root;
}

static void put_roof(struct json_write *json, const struct json_node *roof)
{
    static const char *const members[][2] = {
        {"bw", "bw"},
        {"bwName", "bw_name"},
        {"computility", "computility"},
        {"computilityName", "computility_name"},
        {"ratio", "ratio"},
    };
    const struct json_node *point = json_tree_get(roof, "point");

    json_write_object(json);
    for (size_t i = 0; i < COUNT(members); i++)
        put_text(json, members[i][0], view_scalar(json_tree_get(roof, members[i][1])));
    put_scalars(json, "point",
                json_tree_is(point, JSON_ARRAY) && point->count == 2 ? point : NULL);
    json_write_object_end(json);
}

int answer_roofline(struct view_call *call)
{
    const struct json_node *root = NULL, *info = NULL, *charts, *roofs;
    struct json_write *json = call->body;
    struct view_file *file = NULL;

    /* The page sends this request once more after it closed its project. */
    if (!call->session->is_reset) {
        if (call_file(call, &file) < 0)
            return -1;
        info = read_root(call, file, BIN_BASIC_INFO);
        root = read_root(call, file, BIN_ROOFLINE);
    }
    put_text(json, "soc", root ? view_scalar(json_tree_get(info, "soc")) : "");
    put_text(json, "advice", view_scalar(json_tree_get(root, "advice")));
    json_write_key(json, "data");
    json_write_array(json);
    charts = json_tree_get(root, "multiple_rooflines");
    charts = json_tree_is(charts, JSON_ARRAY) ? charts->first : NULL;
    for (; charts; charts = charts->next) {
        json_write_object(json);
        put_text(json, "title", view_scalar(json_tree_get(charts, "title")));
        json_write_key(json, "rooflines");
        json_write_array(json);
        roofs = json_tree_get(charts, "rooflines");
        roofs = json_tree_is(roofs, JSON_ARRAY) ? roofs->first : NULL;
        for (; roofs; roofs = roofs->next)
            put_roof(json, roofs);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    return 0;
}

static void copy_token(struct json_write *json, const struct json_token *token)
{
    switch (token->kind) {
    case JSON_OBJECT:
        json_write_object(json);
        break;
    case JSON_OBJECT_END:
        json_write_object_end(json);
        break;
    case JSON_ARRAY:
        json_write_array(json);
        break;
    case JSON_ARRAY_END:
        json_write_array_end(json);
        break;
    case JSON_KEY:
        json_write_key_bytes(json, token->text, token->length);
        break;
    case JSON_TEXT:
        json_write_bytes(json, token->text, token->length);
        break;
    case JSON_NUMBER:
        json_write_raw(json, token->text, token->length);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_write_bool(json, token->kind == JSON_TRUE);
        break;
    default:
        json_write_null(json);
    }
}

/* Copies the members of the block, an object, into the body. */
static int
copy_members(struct json_read *read, struct json_write *json, struct err *err)
{
    struct json_token token;

    if (json_read_expect(read, JSON_OBJECT, &token, err) < 0)
        return -1;
    for (;;) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (json_read_depth(read) == 0)
            return 0;
        copy_token(json, &token);
    }
}

int answer_cachelines(struct view_call *call)
{
    const struct view_block *block;
    struct view_stream stream;
    struct view_file *file;
    struct json_read *read;
    struct err err;
    int result;

    if (call_file(call, &file) < 0)
        return -1;
    block = view_block_find(file, BIN_CACHELINES);
    if (!block)
        return 0;
    if (block->size > VIEW_PAYLOAD_MAX)
        return call_fail(call, VIEW_FILE, "the cache lines have more than %d MiB",
                         VIEW_PAYLOAD_MAX >> 20);
    stream = (struct view_stream){0};
    read = view_stream_open(&stream, file, block);
    result = copy_members(read, call->body, &err);
    json_read_destroy(read);
    return result < 0 ? call_fail_err(call, VIEW_FILE, &err) : 0;
}

static void
put_stall(struct json_write *json, const char *side, const char *name, int64_t count)
{
    json_write_key(json, side);
    json_write_object(json);
    put_text(json, "name", name);
    put_number(json, "value", count);
    json_write_object_end(json);
}

static void put_reason(struct json_write *json,
                       const char *name,
                       const struct json_node *ours,
                       const struct json_node *theirs)
{
    int64_t compare = 0, baseline = 0;

    json_tree_i64(json_tree_get(ours, name), &compare);
    json_tree_i64(json_tree_get(theirs, name), &baseline);
    json_write_object(json);
    put_stall(json, "compare", name, compare);
    put_stall(json, "baseline", name, baseline);
    put_stall(json, "diff", name, compare - baseline);
    json_write_object_end(json);
}

int answer_stalls(struct view_call *call)
{
    const struct json_node *ours, *theirs;
    struct json_write *json = call->body;
    struct view_file *file, *other;
    int64_t count;

    if (call_file(call, &file) < 0 || call_baseline(call, &other) < 0)
        return -1;
    ours = json_tree_get(read_root(call, file, BIN_STALLS), "top_stall_reason_table");
    theirs =
        json_tree_get(read_root(call, other, BIN_STALLS), "top_stall_reason_table");
    put_text(json, "unit", "count");
    json_write_key(json, "data");
    json_write_array(json);
    if (json_tree_is(ours, JSON_OBJECT))
        for (const struct json_node *item = ours->first; item; item = item->next)
            if (json_tree_i64(item, &count))
                put_reason(json, item->key, ours, theirs);
    if (json_tree_is(theirs, JSON_OBJECT))
        for (const struct json_node *item = theirs->first; item; item = item->next)
            if (json_tree_i64(item, &count) && !json_tree_get(ours, item->key))
                put_reason(json, item->key, ours, theirs);
    json_write_array_end(json);
    return 0;
}
