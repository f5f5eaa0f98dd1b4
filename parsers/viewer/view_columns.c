#include "parsers/viewer/view_columns.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

struct view_run {
    uint64_t instruction; /* the last one that lists the register */
    uint64_t length;      /* instructions of the run so far */
};

enum { RUN_BEGINS = 0, RUN_ENDS = 1, RUN_CONTINUES = 2 };

void put_tree(struct json_write *json, const struct json_node *node)
{
    switch (node->kind) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        node->kind == JSON_OBJECT ? json_write_object(json) : json_write_array(json);
        for (const struct json_node *child = node->first; child; child = child->next) {
            if (node->kind == JSON_OBJECT)
                json_write_key(json, child->key);
            put_tree(json, child);
        }
        node->kind == JSON_OBJECT ? json_write_object_end(json)
                                  : json_write_array_end(json);
        break;
    case JSON_TEXT:
        json_write_bytes(json, node->text, node->length);
        break;
    case JSON_NUMBER:
        json_write_raw(json, node->text, node->length);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_write_bool(json, node->kind == JSON_TRUE);
        break;
    default:
        json_write_null(json);
    }
}

const struct json_node *view_value_of_core(const struct json_node *value, size_t core)
{
    const struct json_node *element;

    if (!json_tree_is(value, JSON_ARRAY))
        return value;
    element = json_tree_at(value, core);
    return element ? element : value->first;
}

void put_address_ranges(struct json_write *json, const struct json_node *ranges)
{
    json_write_array(json);
    if (json_tree_is(ranges, JSON_ARRAY))
        for (const struct json_node *pair = ranges->first; pair; pair = pair->next)
            if (json_tree_is(pair, JSON_ARRAY) && pair->count == 2 &&
                json_tree_is(pair->first, JSON_TEXT) &&
                json_tree_is(pair->first->next, JSON_TEXT))
                put_tree(json, pair);
    json_write_array_end(json);
}

void put_whole(struct json_write *json, const struct json_node *node)
{
    int64_t number = 0;

    json_tree_i64(node, &number);
    json_write_i64(json, number);
}

/* Writes the number as the file has it; 0 when it is none. */
static void put_literal(struct json_write *json, const struct json_node *node)
{
    if (json_tree_is(node, JSON_NUMBER))
        json_write_raw(json, node->text, node->length);
    else
        json_write_u64(json, 0);
}

/* Returns how far the run of instructions that list the register has come. */
static int
progress_of(struct view_registers *registers, const char *name, uint64_t run_length)
{
    struct view_run *run = map_get(registers->runs, name);

    if (!run) {
        run = arena_calloc(registers->arena, 1, sizeof(*run));
        map_put(registers->runs, name, run);
    }
    run->length = run->instruction + 1 == registers->instruction ? run->length + 1 : 1;
    run->instruction = registers->instruction;
    if (run->length == 1)
        return RUN_BEGINS;
    return run->length >= run_length ? RUN_ENDS : RUN_CONTINUES;
}

/* Writes a list of registers as the text that the page reads. */
static void put_registers(struct json_write *json,
                          const struct json_node *list,
                          struct view_registers *registers)
{
    struct text out = {0};
    struct json_write inner;
    struct err err;

    json_write_to_text(&inner, &out);
    json_write_array(&inner);
    for (const struct json_node *item = list->first; item; item = item->next) {
        const char *name = view_scalar(json_tree_get(item, "regIndex"));
        const struct json_node *length = json_tree_get(item, "survivalTime");
        uint64_t run_length = 0;

        json_tree_u64(length, &run_length);
        json_write_object(&inner);
        put_text(&inner, "name", name);
        json_write_key(&inner, "state");
        put_whole(&inner, json_tree_get(item, "regStatus"));
        put_number(&inner, "progress", progress_of(registers, name, run_length));
        json_write_key(&inner, "length");
        put_whole(&inner, length);
        json_write_object_end(&inner);
    }
    json_write_array_end(&inner);
    json_write_finish(&inner, &err); /* a text cannot fail */
    json_write_bytes(json, out.bytes, out.length);
    text_clear(&out);
}

/* Writes the value as the text of its JSON. */
static void put_json_text(struct json_write *json, const struct json_node *node)
{
    struct text out = {0};
    struct json_write inner;
    struct err err;

    json_write_to_text(&inner, &out);
    put_tree(&inner, node);
    json_write_finish(&inner, &err); /* a text cannot fail */
    json_write_bytes(json, out.bytes, out.length);
    text_clear(&out);
}

/* Writes {"Percent": number, "Details": {name: number}}. */
static void put_details(struct json_write *json, const struct json_node *node)
{
    const struct json_node *percent = json_tree_get(node, "Percent");
    const struct json_node *details = json_tree_get(node, "Details");
    double value;

    json_write_object(json);
    json_write_key(json, "Percent");
    if (json_tree_is(percent, JSON_TEXT) && json_number_double(percent->text, &value))
        json_write_double(json, value);
    else
        put_literal(json, percent);
    json_write_key(json, "Details");
    json_write_object(json);
    if (json_tree_is(details, JSON_OBJECT))
        for (const struct json_node *item = details->first; item; item = item->next) {
            json_write_key(json, item->key);
            put_whole(json, item);
        }
    json_write_object_end(json);
    json_write_object_end(json);
}

static void put_value(struct json_write *json,
                      const char *column,
                      int64_t type,
                      const struct json_node *value,
                      struct view_registers *registers)
{
    json_write_key(json, column);
    switch (type) {
    case VIEW_INT:
        put_whole(json, value);
        break;
    case VIEW_REAL:
    case VIEW_PERCENT:
        put_literal(json, value);
        break;
    case VIEW_TEXT:
        json_write_text(json, json_tree_is(value, JSON_TEXT) ? value->text : "");
        break;
    case VIEW_DETAILS:
        put_details(json, value);
        break;
    default: /* VIEW_JSON */
        if (json_tree_is(value, JSON_ARRAY) && strcmp(column, "GPR Status") == 0)
            put_registers(json, value, registers);
        else
            put_json_text(json, value);
    }
}

static bool is_shown(int64_t type, const struct view_registers *registers)
{
    return (type >= VIEW_INT && type <= VIEW_PERCENT) || type == VIEW_DETAILS ||
           (type == VIEW_JSON && registers);
}

void put_columns(struct json_write *json,
                 const struct json_node *types,
                 const struct json_node *row,
                 size_t core,
                 struct view_registers *registers)
{
    if (registers)
        registers->instruction++;
    for (const struct json_node *type = types->first; type; type = type->next) {
        const struct json_node *value = json_tree_get(row, type->key);
        int64_t code;

        if (!value || !json_tree_i64(type, &code) || !is_shown(code, registers) ||
            json_tree_get(types, type->key) != type)
            continue;
        if (code != VIEW_JSON)
            value = view_value_of_core(value, core);
        if (value)
            put_value(json, type->key, code, value, registers);
    }
}
