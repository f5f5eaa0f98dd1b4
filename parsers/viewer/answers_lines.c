/* answers_lines.c - the figures of the lines of one source file
 *
 * The list of lines is copied row by row, so that memory does not grow with the file.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_rows/view_columns.h"
#include "parsers/viewer/view_handlers.h"

/* Columns of a block without types. Lines with zeros only are hidden. */
static void put_old_line(struct json_write *json,
                         const struct json_node *line,
                         size_t core,
                         const char *executed,
                         const char *cycles)
{
    const struct json_node *all_executed = json_tree_get(line, "Instructions Executed");
    const struct json_node *all_cycles = json_tree_get(line, "Cycles");
    const struct json_node *ranges = json_tree_get(line, "Address Range");
    int64_t executed_count = 0, cycle_count = 0, number;

    if (!json_tree_is(all_executed, JSON_ARRAY) ||
        !json_tree_is(all_cycles, JSON_ARRAY) || !json_tree_is(ranges, JSON_ARRAY) ||
        !json_tree_i64(json_tree_get(line, "Line"), &number))
        return;
    json_tree_i64(view_value_of_core(all_executed, core), &executed_count);
    json_tree_i64(view_value_of_core(all_cycles, core), &cycle_count);
    if (!executed_count && !cycle_count)
        return;
    json_write_object(json);
    put_number(json, "Line", number);
    put_number(json, executed, executed_count);
    put_number(json, cycles, cycle_count);
    json_write_key(json, "Address Range");
    put_address_ranges(json, ranges);
    json_write_object_end(json);
}

/* One row of the list of lines. */
struct line {
    uint64_t key; /* hash of its number */
    size_t place; /* in the list */
};

/* The lines of one source file. */
struct lines {
    const struct view_block *block;
    const struct json_node *types; /* NULL: old layout */
    const char *source;
    size_t core;
    bool is_old; /* request of the old layout */
    struct view_columns columns;
    struct view_stream stream;
    struct json_read *read; /* NULL: not begun, or no lines */
    struct arena *arena;    /* for one row */
    bool is_begun;
    size_t place;      /* of the next row */
    bool *is_repeated; /* a later row has the same number; NULL: none is repeated */
};

/* Reads the members of an element of the list of files. Sets *at to the place of its
 * lines when it is the file that is looked for. */
static int read_file_entry(struct json_read *read,
                           const struct lines *lines,
                           uint64_t *at,
                           struct err *err)
{
    struct json_token token;
    bool is_it = false;
    uint64_t list = 0;

    for (;;) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_OBJECT_END)
            break;
        if (json_token_is(&token, "Source")) {
            if (json_read_next(read, &token, err) < 0)
                return -1;
            is_it = json_token_is(&token, lines->source);
        } else if (json_token_is(&token, "Lines")) {
            if (json_read_next(read, &token, err) < 0)
                return -1;
            if (token.kind == JSON_ARRAY)
                list = lines->block->at + json_read_offset(read) - 1;
            if (is_it)
                break;
        }
        if (json_read_leap(read, err) < 0)
            return -1;
    }
    *at = is_it ? list : 0;
    return 0;
}

/* Finds the lines of the source file; *at is 0 when it has none. */
static int find_lines(const struct view_file *file,
                      const struct lines *lines,
                      uint64_t *at,
                      struct err *err)
{
    struct view_stream stream;
    struct json_read *read = view_stream_open(&stream, file, lines->block);
    struct json_token token;
    int result = view_list_open(read, "Files", err);

    *at = 0;
    while (result == 0 && !*at) {
        result = json_read_next(read, &token, err);
        if (result < 0 || token.kind == JSON_ARRAY_END)
            break;
        result = token.kind == JSON_OBJECT ? read_file_entry(read, lines, at, err)
                                           : json_read_leap(read, err);
    }
    json_read_destroy(read);
    return result;
}

static int open_lines(const struct view_file *file,
                      struct lines *lines,
                      uint64_t at,
                      struct err *err)
{
    struct json_token token;

    json_read_destroy(lines->read);
    lines->read = view_stream_open(&lines->stream, file, lines->block);
    lines->stream.at = at;
    return json_read_expect(lines->read, JSON_ARRAY, &token, err);
}

/* FNV-1a */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

/* Reads the number of the next row. Returns 1, 0 at the end of the list, or -1. */
static int read_number(struct lines *lines, struct line *line, struct err *err)
{
    struct json_token token;

    *line = (struct line){.place = lines->place++};
    if (json_read_next(lines->read, &token, err) < 0)
        return -1;
    if (token.kind == JSON_ARRAY_END)
        return 0;
    if (token.kind != JSON_OBJECT)
        return json_read_skip(lines->read, err) < 0 ? -1 : 1;
    for (;;) {
        if (json_read_next(lines->read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_OBJECT_END)
            return 1;
        bool is_number = json_token_is(&token, "Line");
        if (is_number && json_read_next(lines->read, &token, err) < 0)
            return -1;
        if (is_number)
            line->key = hash_of(token.text, token.length);
        if (json_read_skip(lines->read, err) < 0)
            return -1;
    }
}

static int order_of_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Marks each row whose number a later row has again: of these, the last counts. */
static void mark_repeated(struct lines *lines, struct line *list, size_t count)
{
    if (count)
        qsort(list, count, sizeof(*list), order_of_lines);
    lines->is_repeated = xcalloc(count + 1, sizeof(*lines->is_repeated));
    for (size_t i = 0; i + 1 < count; i++)
        lines->is_repeated[list[i].place] = list[i].key == list[i + 1].key;
}

/* Reads the numbers of all rows, unless the file has them in ascending order. */
static int find_repeated(const struct view_file *file,
                         struct lines *lines,
                         uint64_t at,
                         struct err *err)
{
    struct line *list = NULL;
    size_t count = 0;
    bool ascends;
    int result;

    if (view_file_ascends(file, at, lines->block->at + lines->block->size, "\"Line\"",
                          10, true, &ascends, err) < 0)
        return -1;
    if (ascends)
        return 0;
    do {
        if ((count & (count - 1)) == 0) /* full at each power of two */
            list = xreallocarray(list, count ? 2 * count : 1, sizeof(*list));
        result = read_number(lines, &list[count], err);
        count += result > 0;
    } while (result > 0);
    if (result == 0)
        mark_repeated(lines, list, count);
    free(list);
    lines->place = 0;
    return result < 0 ? -1 : open_lines(file, lines, at, err);
}

/* Opens the list of the lines, when the file has one. */
static int begin(struct view_call *call, struct lines *lines, struct err *err)
{
    uint64_t at;

    if (!lines->block || !view_block_source(call->file, lines->source) ||
        (lines->is_old && lines->types))
        return 0;
    if (find_lines(call->file, lines, &at, err) < 0)
        return -1;
    if (!at)
        return 0;
    return open_lines(call->file, lines, at, err) < 0 ||
                   find_repeated(call->file, lines, at, err) < 0
               ? -1
               : 0;
}

/* Copies the next row of a block without types. Returns 1, 0 at the end, or -1. */
static int copy_old_line(struct json_write *json,
                         struct lines *lines,
                         bool is_shown,
                         struct err *err)
{
    const struct json_node *row;

    arena_reset(lines->arena);
    if (json_tree_read(&row, lines->read, lines->arena, err) < 0)
        return -1;
    if (!row)
        return 0;
    if (is_shown && lines->is_old)
        put_old_line(json, row, lines->core, "Instruction Executed", "Cycle");
    else if (is_shown)
        put_old_line(json, row, lines->core, "Instructions Executed", "Cycles");
    return 1;
}

static int copy_line(struct json_write *json, struct lines *lines, struct err *err)
{
    bool is_shown = !lines->is_repeated || !lines->is_repeated[lines->place];
    struct json_token token;

    lines->place++;
    if (!lines->types)
        return copy_old_line(json, lines, is_shown, err);
    if (json_read_next(lines->read, &token, err) < 0)
        return -1;
    if (token.kind == JSON_ARRAY_END)
        return 0;
    if (!is_shown || token.kind != JSON_OBJECT)
        return json_read_skip(lines->read, err) < 0 ? -1 : 1;
    json_write_object(json);
    if (view_columns_copy(&lines->columns, lines->read, json, err) < 0)
        return -1;
    json_write_object_end(json);
    return 1;
}

static void put_types(struct json_write *json, const struct lines *lines)
{
    if (!lines->types || lines->is_old)
        return;
    json_write_key(json, "Files Dtype");
    json_write_object(json);
    json_write_key(json, "Lines");
    put_tree(json, lines->types);
    json_write_object_end(json);
}

static int put_lines(struct view_call *call, void *state)
{
    struct lines *lines = state;
    struct json_write *json = call->body;
    struct err err;
    int result = 1;

    if (!lines->is_begun) {
        lines->is_begun = true;
        if (begin(call, lines, &err) < 0)
            return call_fail_err(call, VIEW_FILE, &err);
        json_write_key(json, lines->is_old ? "lines" : "Lines");
        json_write_array(json);
    }
    while (result > 0 && !call_is_full(call))
        result = lines->read ? copy_line(json, lines, &err) : 0;
    if (result < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    if (result == 0) {
        json_write_array_end(json);
        put_types(json, lines);
    }
    return result;
}

static void clear(void *state)
{
    struct lines *lines = state;

    json_read_destroy(lines->read);
    view_columns_clear(&lines->columns);
    arena_destroy(lines->arena);
    free(lines->is_repeated);
    free(lines);
}

static int answer(struct view_call *call, bool is_old)
{
    const struct json_node *member = NULL, *types;
    const struct view_block *block;
    const char *source, *name;
    struct view_file *file;
    struct lines *lines;
    struct err err;
    size_t core;

    if (call_checked(call, "sourceName", &source) < 0 ||
        call_checked(call, "coreName", &name) < 0 || call_file(call, &file) < 0 ||
        call_core(call, file, name, &core) < 0)
        return -1;
    block = view_block_find(file, BIN_FILES);
    if (block &&
        view_block_member(&member, file, block, "Files Dtype", call->arena, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    types = json_tree_get(member, "Lines");
    lines = xcalloc(1, sizeof(*lines));
    *lines = (struct lines){
        .block = block, .source = source, .core = core, .is_old = is_old};
    lines->arena = arena_create(16 * 1024);
    if (view_columns_init(&lines->columns, types, core, NULL)) {
        view_columns_add_ranges(&lines->columns);
        lines->types = types;
    }
    call_continue(call, put_lines, clear, lines);
    return 0;
}

int answer_lines(struct view_call *call)
{
    return answer(call, false);
}

int answer_old_lines(struct view_call *call)
{
    return answer(call, true);
}
