#include "parsers/view_rows/view_columns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_rows/view_put.h"

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

static void
add_column(struct view_columns *columns, const char *key, enum view_column_type type)
{
    struct view_column *column = &columns->list[columns->count++];
    struct text quoted = {0};
    struct json_write json;
    struct err err;

    json_write_to_text(&json, &quoted);
    json_write_text(&json, key);
    json_write_finish(&json, &err); /* a text cannot fail */
    text_add(&quoted, ":");
    *column = (struct view_column){.key = key, .type = type};
    column->quoted = arena_strndup(columns->keys, quoted.bytes, quoted.length);
    column->quoted_length = quoted.length;
    text_clear(&quoted);
}

bool view_columns_init(struct view_columns *columns,
                       const struct json_node *types,
                       size_t core,
                       struct view_registers *registers)
{
    *columns = (struct view_columns){.core = core, .registers = registers};
    if (!json_tree_is(types, JSON_OBJECT))
        return false;
    columns->arena = arena_create(16 * 1024);
    columns->keys = arena_create(1024);
    columns->list = xcalloc(types->count + 1, sizeof(*columns->list));
    for (const struct json_node *type = types->first; type; type = type->next) {
        int64_t code;

        if (json_tree_i64(type, &code) && json_tree_get(types, type->key) == type &&
            ((code >= VIEW_INT && code <= VIEW_PERCENT) || code == VIEW_DETAILS ||
             (code == VIEW_JSON && registers)))
            add_column(columns, type->key, (enum view_column_type)code);
    }
    return true;
}

void view_columns_add_ranges(struct view_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->list[i].key, VIEW_RANGES_KEY) == 0)
            columns->list[i] = columns->list[--columns->count];
    add_column(columns, VIEW_RANGES_KEY, VIEW_RANGES);
}

void view_columns_clear(struct view_columns *columns)
{
    free(columns->list);
    arena_destroy(columns->arena);
    arena_destroy(columns->keys);
    text_clear(&columns->kept);
}

/* Finds the column of a key. The keys of the rows usually have the same order, so the
 * search begins behind the last column. */
static struct view_column *find_column(struct view_columns *columns,
                                       const struct json_token *key)
{
    for (size_t i = 0; i < columns->count; i++) {
        size_t at = columns->next + i;
        struct view_column *column;

        at -= at >= columns->count ? columns->count : 0;
        column = &columns->list[at];
        if (json_token_is(key, column->key)) {
            columns->next = at + 1 == columns->count ? 0 : at + 1;
            return column;
        }
    }
    return NULL;
}

/* Takes the key of the next column when it comes next, the usual case. */
static struct view_column *take_next_column(struct view_columns *columns,
                                            struct json_read *read)
{
    struct view_column *column = &columns->list[columns->next];

    if (columns->next == columns->count ||
        !json_read_take_key(read, column->quoted, column->quoted_length))
        return NULL;
    columns->next = columns->next + 1 == columns->count ? 0 : columns->next + 1;
    return column;
}

/* Returns true for a number of digits only that fits into 64 bits. */
static bool is_short(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return length <= 18;
}

/* Writes a number, as the file has it for the types of reals, or a text. */
static void put_scalar(struct json_write *json,
                       const struct view_column *column,
                       enum json_kind kind,
                       const char *text,
                       size_t length)
{
    int64_t number = 0;

    json_write_quoted_key(json, column->quoted, column->quoted_length);
    if (column->type == VIEW_TEXT) {
        json_write_bytes(json, text, kind == JSON_TEXT ? length : 0);
    } else if (kind == JSON_NUMBER &&
               (column->type != VIEW_INT || is_short(text, length))) {
        json_write_raw(json, text, length);
    } else {
        if (kind == JSON_NUMBER)
            json_number_i64(text, &number);
        json_write_i64(json, number);
    }
}

/* Skips what remains of the arrays and objects above this depth. */
static int leave(struct json_read *read, unsigned depth, struct err *err)
{
    struct json_token token;

    while (json_read_depth(read) > depth)
        if (json_read_next(read, &token, err) < 0)
            return -1;
    return 0;
}

/* Writes the element of the core, or the first when there are fewer. */
static int put_element(struct view_columns *columns,
                       const struct view_column *column,
                       struct json_read *read,
                       struct json_write *json,
                       struct err *err)
{
    unsigned depth = json_read_depth(read) - 1;
    enum json_kind kept = JSON_NULL;
    struct json_token token;

    for (size_t i = 0;; i++) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_ARRAY_END) {
            if (i)
                put_scalar(json, column, kept, text_get(&columns->kept),
                           columns->kept.length);
            return 0;
        }
        if (i == columns->core) {
            put_scalar(json, column, token.kind, token.text, token.length);
            return leave(read, depth, err);
        }
        if (i == 0) {
            text_reset(&columns->kept);
            text_add_bytes(&columns->kept, token.text, token.length);
            kept = token.kind;
        }
        if (json_read_skip(read, err) < 0)
            return -1;
    }
}

static int put_tree_value(struct view_columns *columns,
                          const struct view_column *column,
                          struct json_read *read,
                          struct json_write *json,
                          struct err *err)
{
    const struct json_node *value;

    assert(column->type == VIEW_DETAILS || columns->registers);
    if (json_tree_read(&value, read, columns->arena, err) < 0)
        return -1;
    if (column->type == VIEW_DETAILS)
        value = view_value_of_core(value, columns->core);
    if (!value)
        return 0;
    json_write_key(json, column->key);
    if (column->type == VIEW_DETAILS)
        put_details(json, value);
    else if (json_tree_is(value, JSON_ARRAY) && strcmp(column->key, "GPR Status") == 0)
        put_registers(json, value, columns->registers);
    else
        put_json_text(json, value);
    arena_reset(columns->arena);
    return 0;
}

/* Writes a pair of two texts, after its bracket; leaves out anything else. */
static int put_range(struct view_columns *columns,
                     struct json_read *read,
                     struct json_write *json,
                     struct err *err)
{
    unsigned depth = json_read_depth(read) - 1;
    struct text *kept = &columns->kept;
    struct json_token token;
    size_t ends[2];

    text_reset(kept);
    for (int i = 0; i < 2; i++) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (token.kind != JSON_TEXT)
            return leave(read, depth, err);
        text_add_bytes(kept, token.text, token.length);
        ends[i] = kept->length;
    }
    if (json_read_next(read, &token, err) < 0)
        return -1;
    if (token.kind != JSON_ARRAY_END)
        return leave(read, depth, err);
    json_write_array(json);
    json_write_bytes(json, text_get(kept), ends[0]);
    json_write_bytes(json, text_get(kept) + ends[0], ends[1] - ends[0]);
    json_write_array_end(json);
    return 0;
}

static int put_ranges(struct view_columns *columns,
                      struct json_read *read,
                      struct json_write *json,
                      struct err *err)
{
    struct json_token token;

    json_write_key(json, VIEW_RANGES_KEY);
    json_write_array(json);
    if (json_read_next(read, &token, err) < 0)
        return -1;
    if (token.kind != JSON_ARRAY) {
        json_write_array_end(json);
        return json_read_skip(read, err);
    }
    for (;;) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_ARRAY_END)
            break;
        if ((token.kind == JSON_ARRAY ? put_range(columns, read, json, err)
                                      : json_read_skip(read, err)) < 0)
            return -1;
    }
    json_write_array_end(json);
    return 0;
}

static int put_member(struct view_columns *columns,
                      struct view_column *column,
                      struct json_read *read,
                      struct json_write *json,
                      struct err *err)
{
    struct json_token token;

    if (column->type == VIEW_RANGES)
        return put_ranges(columns, read, json, err);
    if (column->type == VIEW_DETAILS || column->type == VIEW_JSON)
        return put_tree_value(columns, column, read, json, err);
    if (json_read_next(read, &token, err) < 0)
        return -1;
    if (token.kind == JSON_ARRAY)
        return put_element(columns, column, read, json, err);
    put_scalar(json, column, token.kind, token.text, token.length);
    return json_read_skip(read, err);
}

int view_columns_copy(struct view_columns *columns,
                      struct json_read *read,
                      struct json_write *json,
                      struct err *err)
{
    struct json_token token;

    columns->row++;
    columns->next = 0;
    if (columns->registers)
        columns->registers->instruction++;
    for (;;) {
        struct view_column *column = take_next_column(columns, read);

        if (!column) {
            if (json_read_next(read, &token, err) < 0)
                return -1;
            if (token.kind == JSON_OBJECT_END)
                break;
            column = find_column(columns, &token);
        }
        if (!column || column->row == columns->row) {
            if (json_read_skip(read, err) < 0)
                return -1;
            continue;
        }
        column->row = columns->row;
        if (put_member(columns, column, read, json, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < columns->count; i++)
        if (columns->list[i].type == VIEW_RANGES &&
            columns->list[i].row != columns->row) {
            json_write_key(json, VIEW_RANGES_KEY);
            json_write_array(json);
            json_write_array_end(json);
        }
    return 0;
}
