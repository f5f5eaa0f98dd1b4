/* answers_instructions.c - the instructions of an operator with the figures of one core
 *
 * The answer is sorted by address. A file that has them in this order, as writers write
 * it, is copied row by row; the rows of another file are collected and sorted first. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_rows/view_columns.h"
#include "parsers/viewer/view_handlers.h"

enum { ROWS_A_PART = 2000 }; /* that are collected */

struct instructions {
    const struct json_node *types; /* NULL: old layout */
    const char *core_name;
    size_t core;
    struct view_columns columns;
    struct view_registers registers;
    struct view_stream stream;
    struct json_read *read; /* NULL: not begun */
    struct arena *arena;    /* for one row of the old layout */
    bool is_sorted;         /* in the file */
    bool is_written;        /* the answer has the begin of the list */
    struct text rows;       /* of a file that is not sorted */
    struct row {
        uint64_t address;
        size_t at, size, number; /* text in `rows` */
    } * list;
    size_t count, room, sent;
};

static void
put_old_instruction(struct json_write *json, const struct json_node *row, size_t core)
{
    static const char *const texts[][2] = {{"Source", "Source"},
                                           {"Address", "Address"},
                                           {"AscendC Inner Code", "Ascend Inner Code"},
                                           {"Pipe", "Pipe"}};
    static const char *const numbers[] = {"Cycles", "Instructions Executed",
                                          "RealStallCycles", "TheoreticalStallCycles"};

    for (size_t i = 0; i < COUNT(texts); i++)
        put_text(json, texts[i][1], view_scalar(json_tree_get(row, texts[i][0])));
    for (size_t i = 0; i < COUNT(numbers); i++) {
        json_write_key(json, numbers[i]);
        put_whole(json, view_value_of_core(json_tree_get(row, numbers[i]), core));
    }
}

/* Copies the next row, an object. Returns 1, 0 at the end of the list, or -1. */
static int copy_row(struct instructions *all, struct json_write *json, struct err *err)
{
    const struct json_node *row;
    struct json_token token;
    int result = 0;

    if (!all->types) {
        arena_reset(all->arena);
        if (json_tree_read(&row, all->read, all->arena, err) < 0)
            return -1;
        if (!row)
            return 0;
        json_write_object(json);
        put_old_instruction(json, row, all->core);
    } else {
        if (json_read_next(all->read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_ARRAY_END)
            return 0;
        json_write_object(json);
        result = token.kind == JSON_OBJECT
                     ? view_columns_copy(&all->columns, all->read, json, err)
                     : json_read_skip(all->read, err);
        if (result < 0)
            return -1;
    }
    json_write_object_end(json);
    return 1;
}

/* Returns the address in the text of a row; 0 when it has none. */
static uint64_t address_of(const char *row, size_t size)
{
    static const char key[] = "\"Address\":\"";
    const char *at = memmem(row, size, key, strlen(key));

    return at ? strtoull(at + strlen(key), NULL, 16) : 0;
}

/* Adds the next row to the list, like copy_row(). */
static int collect_row(struct instructions *all, struct err *err)
{
    struct row new = {.at = all->rows.length, .number = all->count};
    struct json_write json;
    struct err unused;
    int result;

    json_write_to_text(&json, &all->rows);
    result = copy_row(all, &json, err);
    json_write_close_to(&json, 0);     /* a row that could not be read */
    json_write_finish(&json, &unused); /* a text cannot fail */
    if (result <= 0)
        return result;
    new.size = all->rows.length - new.at;
    new.address = address_of(all->rows.bytes + new.at, new.size);
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 256;
        all->list = xreallocarray(all->list, all->room, sizeof(*all->list));
    }
    all->list[all->count++] = new;
    return 1;
}

static int order_of_addresses(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Collects the rows in parts that write nothing. Returns 1 when more follows, 0 when
 * the list is complete and sorted. */
static int collect(struct instructions *all, struct err *err)
{
    for (int i = 0; i < ROWS_A_PART; i++) {
        int result = collect_row(all, err);

        if (result > 0)
            continue;
        if (result == 0 && all->count)
            qsort(all->list, all->count, sizeof(*all->list), order_of_addresses);
        all->is_sorted = result == 0;
        return result;
    }
    return 1;
}

static void begin_list(struct json_write *json, struct instructions *all)
{
    if (!all->is_written) {
        json_write_key(json, "Instructions");
        json_write_array(json);
    }
    all->is_written = true;
}

static void end_list(struct json_write *json, const struct instructions *all)
{
    json_write_array_end(json);
    if (all->types) {
        json_write_key(json, "Instructions Dtype");
        json_write_object(json);
        json_write_key(json, "Instructions");
        put_tree(json, all->types);
        json_write_object_end(json);
    }
    put_text(json, "Core", all->core_name);
}

/* Opens the list, and looks once whether the file has it in order. */
static int begin(struct view_call *call, struct instructions *all, struct err *err)
{
    const struct view_block *block = view_block_find(call->file, BIN_INSTRUCTIONS);

    if (call->file->addresses == VIEW_ORDER_UNKNOWN) {
        bool ascends;

        if (view_file_ascends(call->file, block->at, block->at + block->size,
                              "\"Address\"", 16, false, &ascends, err) < 0)
            return -1;
        call->file->addresses = ascends ? VIEW_ORDER_ASCENDS : VIEW_ORDER_MIXED;
    }
    all->is_sorted = call->file->addresses == VIEW_ORDER_ASCENDS;
    all->read = view_stream_open(&all->stream, call->file, block);
    return view_list_open(all->read, "Instructions", err);
}

static int put_instructions(struct view_call *call, void *state)
{
    struct instructions *all = state;
    struct json_write *json = call->body;
    struct err err;
    int result = 1;

    if (!all->read && begin(call, all, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    if (!all->is_sorted) {
        result = collect(all, &err);
        return result < 0 ? call_fail_err(call, VIEW_FILE, &err) : 1;
    }
    begin_list(json, all);
    while (result > 0 && !call_is_full(call)) {
        if (!all->list) {
            result = copy_row(all, json, &err);
        } else if (all->sent < all->count) {
            const struct row *row = &all->list[all->sent++];

            json_write_raw(json, all->rows.bytes + row->at, row->size);
        } else {
            result = 0;
        }
    }
    if (result < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    if (result == 0)
        end_list(json, all);
    return result;
}

static void clear(void *state)
{
    struct instructions *all = state;

    json_read_destroy(all->read);
    view_columns_clear(&all->columns);
    map_destroy(all->registers.runs);
    arena_destroy(all->arena);
    text_clear(&all->rows);
    free(all->list);
    free(all);
}

/* Reads the types of the columns; a file without instructions has none. */
static int read_types(struct view_call *call,
                      const struct view_block *block,
                      const struct json_node **types)
{
    const struct json_node *member = NULL;
    struct err err;

    if (block->size > VIEW_PAYLOAD_MAX)
        return call_fail(call, VIEW_FILE, "the instructions have more than %d MiB",
                         VIEW_PAYLOAD_MAX >> 20);
    if (view_block_member(&member, call->file, block, "Instructions Dtype", call->arena,
                          &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    *types = json_tree_get(member, "Instructions");
    return 0;
}

int answer_instructions(struct view_call *call)
{
    const struct json_node *types = NULL;
    const struct view_block *block;
    struct instructions *all;
    struct view_file *file;
    const char *name;
    size_t core;

    if (call_text(call, "coreName", &name) < 0 ||
        (*name && call_checked(call, "coreName", &name) < 0) ||
        call_file(call, &file) < 0 || call_core(call, file, name, &core) < 0)
        return -1;
    block = view_block_find(file, BIN_INSTRUCTIONS);
    if (!block) {
        put_empty_list(call->body, "Instructions");
        put_text(call->body, "Core", name);
        return 0;
    }
    if (read_types(call, block, &types) < 0)
        return -1;
    all = xcalloc(1, sizeof(*all));
    all->core_name = name;
    all->core = core;
    all->arena = arena_create(16 * 1024);
    all->registers.runs = map_create();
    all->registers.arena = call->arena;
    if (view_columns_init(&all->columns, types, core, &all->registers))
        all->types = types;
    call_continue(call, put_instructions, clear, all);
    return 0;
}
