/* answers_source.c - source files, the figures of their lines, and instructions */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_columns.h"
#include "parsers/viewer/view_handlers.h"

int answer_source_text(struct view_call *call)
{
    const struct view_block *block;
    struct text source = {0};
    struct view_file *file;
    const char *path;
    struct err err;

    if (call_checked(call, "sourceName", &path) < 0 || call_file(call, &file) < 0)
        return -1;
    block = view_block_source(file, path);
    if (block && view_block_read(file, block, VIEW_PAYLOAD_MAX, &source, &err) < 0) {
        text_clear(&source);
        return call_fail_err(call, VIEW_FILE, &err);
    }
    json_write_key(call->body, "fileContent");
    json_write_bytes(call->body, text_get(&source), source.length);
    text_clear(&source);
    return 0;
}

/* Finds the place of a core in the list of cores; an unknown core is the first. */
static int find_core(struct view_call *call,
                     const struct view_file *file,
                     const char *name,
                     size_t *core)
{
    const struct view_block *block = view_block_find(file, BIN_INSTRUCTIONS);
    const struct json_node *cores = NULL;
    struct err err;
    size_t at = 0;

    *core = 0;
    if (block && view_block_member(&cores, file, block, "Cores", call->arena, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    for (const struct json_node *node = cores ? cores->first : NULL; node;
         node = node->next, at++)
        if (strcmp(view_scalar(node), name) == 0) {
            *core = at;
            break;
        }
    return 0;
}

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

static void put_line(struct json_write *json,
                     const struct json_node *types,
                     const struct json_node *line,
                     size_t core)
{
    json_write_object(json);
    put_columns(json, types, line, core, NULL);
    json_write_key(json, "Address Range");
    put_address_ranges(json, json_tree_get(line, "Address Range"));
    json_write_object_end(json);
}

/* The lines of one source file, and the types of their columns (NULL: old layout). */
struct lines {
    const struct json_node *list, *types;
    size_t core;
};

static int read_lines(struct view_call *call, struct lines *lines)
{
    const struct json_node *element = NULL, *types = NULL;
    const struct view_block *block;
    const char *source, *core;
    struct view_file *file;
    struct err err;

    if (call_checked(call, "sourceName", &source) < 0 ||
        call_checked(call, "coreName", &core) < 0 || call_file(call, &file) < 0 ||
        find_core(call, file, core, &lines->core) < 0)
        return -1;
    block = view_block_find(file, BIN_FILES);
    if (!block)
        return 0;
    if (view_block_member(&types, file, block, "Files Dtype", call->arena, &err) < 0 ||
        (view_block_source(file, source) &&
         view_block_element(&element, file, block, "Files", "Source", source,
                            call->arena, &err) < 0))
        return call_fail_err(call, VIEW_FILE, &err);
    lines->types = json_tree_get(types, "Lines");
    lines->list = json_tree_get(element, "Lines");
    return 0;
}

/* Of lines with the same number, the last counts. */
static struct map *last_of_each(const struct json_node *list)
{
    struct map *last = map_create();

    for (const struct json_node *line = list->first; line; line = line->next)
        map_put(last, view_scalar(json_tree_get(line, "Line")),
                (void *)(uintptr_t)line);
    return last;
}

int answer_lines(struct view_call *call)
{
    struct json_write *json = call->body;
    struct lines lines = {0};

    if (read_lines(call, &lines) < 0)
        return -1;
    json_write_key(json, "Lines");
    json_write_array(json);
    if (json_tree_is(lines.list, JSON_ARRAY)) {
        struct map *last = last_of_each(lines.list);

        for (const struct json_node *line = lines.list->first; line;
             line = line->next) {
            if (map_get(last, view_scalar(json_tree_get(line, "Line"))) != line)
                continue;
            if (lines.types)
                put_line(json, lines.types, line, lines.core);
            else
                put_old_line(json, line, lines.core, "Instructions Executed", "Cycles");
        }
        map_destroy(last);
    }
    json_write_array_end(json);
    if (!lines.types)
        return 0;
    json_write_key(json, "Files Dtype");
    json_write_object(json);
    json_write_key(json, "Lines");
    put_tree(json, lines.types);
    json_write_object_end(json);
    return 0;
}

int answer_old_lines(struct view_call *call)
{
    struct lines lines = {0};

    if (read_lines(call, &lines) < 0)
        return -1;
    json_write_key(call->body, "lines");
    json_write_array(call->body);
    if (!lines.types && json_tree_is(lines.list, JSON_ARRAY))
        for (const struct json_node *line = lines.list->first; line; line = line->next)
            put_old_line(call->body, line, lines.core, "Instruction Executed", "Cycle");
    json_write_array_end(call->body);
    return 0;
}

int answer_raw_instructions(struct view_call *call)
{
    const struct view_block *block;
    struct text payload = {0};
    struct view_file *file;
    struct err err;

    if (call_file(call, &file) < 0)
        return -1;
    block = view_block_find(file, BIN_INSTRUCTIONS);
    if (block && view_block_read(file, block, VIEW_PAYLOAD_MAX, &payload, &err) < 0) {
        text_clear(&payload);
        return call_fail_err(call, VIEW_FILE, &err);
    }
    json_write_key(call->body, "instructions");
    json_write_bytes(call->body, text_get(&payload), payload.length);
    text_clear(&payload);
    return 0;
}

/* Instructions as JSON texts, to be sorted by address. */
struct instructions {
    const struct json_node *types; /* NULL: old layout */
    size_t core;
    struct view_registers registers;
    struct text out;
    struct instruction {
        uint64_t address;
        size_t at, size, number; /* text in `out` */
    } * list;
    size_t count, room;
    bool is_sorted;
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

static void add_instruction(struct instructions *all, const struct json_node *row)
{
    const char *address = view_scalar(json_tree_get(row, "Address"));
    struct instruction new = {.at = all->out.length, .number = all->count};
    struct json_write json;
    struct err err;

    new.address = strtoull(address, NULL, 16);
    json_write_to_text(&json, &all->out);
    json_write_object(&json);
    if (all->types)
        put_columns(&json, all->types, row, all->core, &all->registers);
    else
        put_old_instruction(&json, row, all->core);
    json_write_object_end(&json);
    json_write_finish(&json, &err); /* a text cannot fail */
    new.size = all->out.length - new.at;
    if (all->count && all->list[all->count - 1].address > new.address)
        all->is_sorted = false;
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 256;
        all->list = xreallocarray(all->list, all->room, sizeof(*all->list));
    }
    all->list[all->count++] = new;
}

static int order_of_addresses(const void *left, const void *right)
{
    const struct instruction *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void put_instructions(struct json_write *json, struct instructions *all)
{
    if (!all->is_sorted)
        qsort(all->list, all->count, sizeof(*all->list), order_of_addresses);
    json_write_key(json, "Instructions");
    json_write_array(json);
    for (size_t i = 0; i < all->count; i++)
        json_write_raw(json, all->out.bytes + all->list[i].at, all->list[i].size);
    json_write_array_end(json);
    if (!all->types)
        return;
    json_write_key(json, "Instructions Dtype");
    json_write_object(json);
    json_write_key(json, "Instructions");
    put_tree(json, all->types);
    json_write_object_end(json);
}

static int keep_instruction(void *arg, const struct json_node *element)
{
    add_instruction(arg, element);
    return 0;
}

static int read_instructions(struct view_call *call,
                             const struct view_file *file,
                             struct instructions *all)
{
    const struct view_block *block = view_block_find(file, BIN_INSTRUCTIONS);
    const struct json_node *types = NULL;
    struct err err;

    if (!block)
        return 0;
    if (block->size > VIEW_PAYLOAD_MAX)
        return call_fail(call, VIEW_FILE, "the instructions have more than %d MiB",
                         VIEW_PAYLOAD_MAX >> 20);
    if (view_block_member(&types, file, block, "Instructions Dtype", call->arena,
                          &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    all->types = json_tree_get(types, "Instructions");
    if (view_block_each(file, block, "Instructions", keep_instruction, all, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    return 0;
}

int answer_instructions(struct view_call *call)
{
    struct instructions all = {.is_sorted = true};
    struct view_file *file;
    const char *core;
    int result;

    if (call_text(call, "coreName", &core) < 0 ||
        (*core && call_checked(call, "coreName", &core) < 0) ||
        call_file(call, &file) < 0 || find_core(call, file, core, &all.core) < 0)
        return -1;
    all.registers.runs = map_create();
    all.registers.arena = call->arena;
    result = read_instructions(call, file, &all);
    if (result == 0) {
        put_instructions(call->body, &all);
        put_text(call->body, "Core", core);
    }
    map_destroy(all.registers.runs);
    text_clear(&all.out);
    free(all.list);
    return result;
}
