#include "parsers/container/block_csv.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/container/block_csv_source.h"
#include "parsers/container/block_csv_text.h"
#include "parsers/container/tracekit.h"

enum { LEVELS = 3, COLUMNS = 10 };

/* A cell is a member of the object that lies `level` arrays deep. "point.1" is the
 * second element of a list; "Hit.Value.0" leads through an object. */
struct cell {
    unsigned level;
    const char *member;
};

/* A table of objects in nested arrays; `path` names the arrays from the outside in. */
struct table {
    enum bin_type type;
    const char *name;
    const char *path[LEVELS];
    struct cell cells[COLUMNS];
};

static const struct table tables[] = {
    {BIN_WORKLOAD_CHART,
     "compute_workload_chart",
     {"subblock_detail"},
     {{0, "block_id"},
      {0, "block_type"},
      {0, "name"},
      {0, "unit"},
      {0, "value"},
      {0, "origin_value"}}},
    {BIN_WORKLOAD_TABLE,
     "compute_workload_table",
     {"subblock_detail"},
     {{0, "block_id"}, {0, "block_type"}, {0, "name"}, {0, "unit"}, {0, "value"}}},
    {BIN_MEMORY_MAP,
     "memory_map",
     {"core_memory_map", "memory_unit"},
     {{0, "core_no"},
      {0, "op_type"},
      {1, "memory_path"},
      {1, "request"},
      {1, "bandwidth"},
      {1, "peak_ratio"},
      {1, "display"}}},
    {BIN_MEMORY_MAP,
     "l2_cache",
     {"core_memory_map"},
     {{0, "core_no"},
      {0, "L2cache.hit"},
      {0, "L2cache.miss"},
      {0, "L2cache.total_request"},
      {0, "L2cache.hit_ratio"}}},
    {BIN_MEMORY_MAP,
     "units",
     {"core_memory_map"},
     {{0, "core_no"},
      {0, "Cube.cycle"},
      {0, "Cube.total_cycles"},
      {0, "Cube.ratio"},
      {0, "Vector.cycle"},
      {0, "Vector.total_cycles"},
      {0, "Vector.ratio"},
      {0, "Vector1.cycle"},
      {0, "Vector1.total_cycles"},
      {0, "Vector1.ratio"}}},
    {BIN_TRACE,
     "timeline",
     {"traceEvents"},
     {{0, "ph"},
      {0, "pid"},
      {0, "tid"},
      {0, "name"},
      {0, "ts"},
      {0, "dur"},
      {0, "id"},
      {0, "cat"},
      {0, "args.name"},
      {0, "args.pc_addr"}}},
    {BIN_OCCUPANCY,
     "inter_core_load",
     {"op_detail", "core_detail"},
     {{0, "core_id"},
      {1, "subcore_type"},
      {1, "subcore_id"},
      {1, "cycles"},
      {1, "throughput"},
      {1, "L2cache_hit_rate"},
      {1, "simt_vf_instructions.instructions"},
      {1, "simt_vf_instructions.instruction_per_cycle"}}},
    {BIN_ROOFLINE,
     "roofline",
     {"multiple_rooflines", "rooflines"},
     {{0, "title"},
      {1, "bw_name"},
      {1, "bw"},
      {1, "computility_name"},
      {1, "computility"},
      {1, "point.0"},
      {1, "point.1"},
      {1, "ratio"}}},
    {BIN_CACHELINES,
     "cachelines",
     {"Cacheline Records"},
     {{0, "Cacheline Id"},
      {0, "Hit.Value.0"},
      {0, "Hit.Value.1"},
      {0, "Miss.Value.0"},
      {0, "Miss.Value.1"}}},
};

static const struct json_node *step(const struct json_node *node, const char *name)
{
    if (node && node->kind == JSON_ARRAY)
        return json_tree_at(node, (size_t)(name[0] - '0'));
    return json_tree_get(node, name);
}

/* Follows a path with dots. First tries the path as the name of a single member,
 * because such a name may contain dots. */
static const struct json_node *find(const struct json_node *node, const char *path)
{
    const struct json_node *whole = step(node, path);
    char part[64];

    while (!whole && node) {
        size_t length = strcspn(path, ".");

        if (length >= sizeof(part))
            return NULL;
        snprintf(part, sizeof(part), "%.*s", (int)length, path);
        node = step(node, part);
        if (!path[length])
            return node;
        path += length + 1;
    }
    return whole;
}

static void
add_row(const struct table *table, const struct json_node **at, struct text *out)
{
    for (size_t i = 0; i < COLUMNS && table->cells[i].member; i++) {
        if (i)
            text_add_char(out, ',');
        block_csv_add_node(out,
                           find(at[table->cells[i].level], table->cells[i].member));
    }
    text_add_char(out, '\n');
}

static void add_rows(const struct table *table,
                     const struct json_node *outer,
                     const struct json_node **at,
                     unsigned level,
                     struct text *out)
{
    const struct json_node *list = json_tree_get(outer, table->path[level]);

    if (!json_tree_is(list, JSON_ARRAY))
        return;
    for (const struct json_node *it = list->first; it; it = it->next) {
        at[level] = it;
        if (level + 1 < LEVELS && table->path[level + 1])
            add_rows(table, it, at, level + 1, out);
        else
            add_row(table, at, out);
    }
}

static void
fill_table(const struct table *table, const struct json_node *root, struct text *out)
{
    const struct json_node *at[LEVELS] = {NULL};
    size_t head;

    for (size_t i = 0; i < COLUMNS && table->cells[i].member; i++) {
        if (i)
            text_add_char(out, ',');
        text_add_csv(out, table->cells[i].member);
    }
    text_add_char(out, '\n');
    head = out->length;
    add_rows(table, root, at, 0, out);
    if (out->length == head)
        text_reset(out);
}

/* Writes one row per member that is a single value. */
static void fill_facts(const struct json_node *root, struct text *out)
{
    text_add(out, "key,value\n");
    for (const struct json_node *it = root->first; it; it = it->next) {
        if (it->kind == JSON_OBJECT || it->kind == JSON_ARRAY)
            continue;
        text_add_csv(out, it->key);
        text_add_char(out, ',');
        block_csv_add_node(out, it);
        text_add_char(out, '\n');
    }
}

static void add_list(const struct json_node *list, struct text *out)
{
    for (const struct json_node *it = list ? list->first : NULL; it; it = it->next) {
        if (it != list->first)
            text_add_char(out, ',');
        block_csv_add_node(out, it);
    }
    text_add_char(out, '\n');
}

/* Writes the table of the operator's blocks, which has its own head. */
static void fill_blocks(const struct json_node *root, struct text *out)
{
    const struct json_node *table = json_tree_get(root, "block_detail");
    const struct json_node *rows;

    if (!table)
        table = json_tree_get(root, "mix_block_detail");
    rows = json_tree_get(table, "row");
    if (!rows || !rows->first)
        return;
    add_list(json_tree_get(table, "head_name"), out);
    for (const struct json_node *it = rows->first; it; it = it->next)
        add_list(json_tree_get(it, "value"), out);
}

static void
add_cells(const struct json_node *const *cells, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_add_char(out, ',');
        block_csv_add_node(out, cells[i]);
    }
    text_add_char(out, '\n');
}

static void add_memory_rows(const struct json_node *block,
                            const struct json_node *table,
                            const struct json_node *row,
                            struct text *out)
{
    const struct json_node *head = json_tree_at(json_tree_get(table, "header_name"), 1);
    const struct json_node *value = json_tree_at(json_tree_get(row, "value"), 0);

    for (; value; value = value->next, head = head ? head->next : NULL) {
        const struct json_node *cells[] = {
            json_tree_get(block, "block_id"),
            json_tree_get(table, "table_name"),
            json_tree_get(row, "name"),
            head,
            value,
        };

        add_cells(cells, COUNT(cells), out);
    }
}

/* Returns the first element of the list of that name, or NULL. */
static const struct json_node *first_of(const struct json_node *node, const char *list)
{
    return json_tree_at(json_tree_get(node, list), 0);
}

/* Writes one row per value, because the tables differ in width. */
static void fill_memory_table(const struct json_node *root, struct text *out)
{
    const struct json_node *block, *table, *row;

    text_add(out, "block_id,table,row,column,value\n");
    for (block = first_of(root, "table_per_block"); block; block = block->next)
        for (table = first_of(block, "table_detail"); table; table = table->next)
            for (row = first_of(table, "row"); row; row = row->next)
                add_memory_rows(block, table, row, out);
}

static void fill_reasons(const struct json_node *root, struct text *out)
{
    const struct json_node *table = json_tree_get(root, "top_stall_reason_table");

    text_add(out, "reason,count\n");
    for (const struct json_node *it = table ? table->first : NULL; it; it = it->next) {
        text_add_csv(out, it->key);
        text_add_char(out, ',');
        block_csv_add_node(out, it);
        text_add_char(out, '\n');
    }
}

/* Blocks that need a function of their own. */
static const struct {
    enum bin_type type;
    const char *name;
    void (*fill)(const struct json_node *root, struct text *out);
} others[] = {
    {BIN_BASIC_INFO, "basic_info", fill_facts},
    {BIN_BASIC_INFO, "blocks", fill_blocks},
    {BIN_MEMORY_TABLE, "memory_table", fill_memory_table},
    {BIN_STALLS, "stall_reasons", fill_reasons},
    {BIN_FILES, "lines", block_csv_fill_lines},
    {BIN_INSTRUCTIONS, "instructions", block_csv_fill_instructions},
};

/* A conversion in progress. Two tables collect rows of several blocks. */
struct conversion {
    block_csv_fn *fn;
    void *arg;
    struct text csv;
    struct text code, advice;
    struct err bad; /* the first damaged block, which does not stop the others */
};

/* Passes a table on if it has rows, and empties the text. */
static int deliver(struct conversion *conversion,
                   const char *name,
                   struct text *csv,
                   struct err *err)
{
    int result = csv->length ? conversion->fn(name, csv, conversion->arg, err) : 0;

    text_reset(csv);
    return result;
}

static int tables_of_root(struct conversion *conversion,
                          const struct json_node *root,
                          unsigned type,
                          struct err *err)
{
    struct text *csv = &conversion->csv;
    int result = 0;

    block_csv_add_advice(&conversion->advice, root, type);
    for (size_t i = 0; result == 0 && i < COUNT(others); i++)
        if ((unsigned)others[i].type == type) {
            others[i].fill(root, csv);
            result = deliver(conversion, others[i].name, csv, err);
        }
    for (size_t i = 0; result == 0 && i < COUNT(tables); i++)
        if ((unsigned)tables[i].type == type) {
            fill_table(&tables[i], root, csv);
            result = deliver(conversion, tables[i].name, csv, err);
        }
    return result;
}

static int tables_of_json(struct conversion *conversion,
                          const struct bin_block *block,
                          struct err *err)
{
    struct arena *arena = arena_create(64 * 1024);
    const struct json_node *root;
    struct err why;
    int result = 0;

    if (json_tree_parse(&root, "payload", block->payload, block->size, JSON_TREE_LIMITS,
                        arena, &why) == 0)
        result = tables_of_root(conversion, root, block->type, err);
    else if (!conversion->bad.text[0])
        err_set(&conversion->bad, ERR_INPUT, "block %zu type 0x%02X: %s%s",
                block->index, block->type, why.text,
                block->type == BIN_TRACE ? "; --trace writes a timeline of any size"
                                         : "");
    arena_destroy(arena);
    return result;
}

static int tables_of_block(struct conversion *conversion,
                           const struct bin_block *block,
                           struct err *err)
{
    switch (block->type) {
    case BIN_CODE:
        block_csv_add_code(&conversion->code, block);
        return 0;
    case BIN_MEMORY_RECORDS:
    case BIN_CACHE_SETS:
        tracekit_write_csv(block, &conversion->csv);
        return deliver(conversion,
                       block->type == BIN_CACHE_SETS ? "cache_sets" : "memory_records",
                       &conversion->csv, err);
    default: /* readers skip an unknown type */
        return bin_type_name(block->type) ? tables_of_json(conversion, block, err) : 0;
    }
}

int block_csv_each(const uint8_t *bytes,
                   size_t size,
                   block_csv_fn *fn,
                   void *arg,
                   struct err *err)
{
    struct conversion conversion = {.fn = fn, .arg = arg};
    struct bin_block block;
    size_t at = 0, index = 0;
    char problem[BIN_PROBLEM_BYTES];
    int result = 0;

    for (; result == 0 && bin_next(bytes, size, &at, index, &block, problem); index++)
        result = tables_of_block(&conversion, &block, err);
    if (result == 0)
        result = deliver(&conversion, "code", &conversion.code, err);
    if (result == 0)
        result = deliver(&conversion, "advice", &conversion.advice, err);
    text_clear(&conversion.csv);
    text_clear(&conversion.code);
    text_clear(&conversion.advice);
    if (result == 0 && conversion.bad.text[0])
        return err_set(err, ERR_INPUT, "%s", conversion.bad.text);
    if (result == 0 && problem[0])
        return err_set(err, ERR_INPUT, "%s", problem);
    return result;
}
