/* check_details.c - the rules of the block types 0x05 to 0x09
 *
 * The reader converts all numbers of these blocks to text, so both a text and a number
 * are valid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/visualize_check/check_payload.h"

static bool is_text(const struct json_node *node, const char *text)
{
    return node && node->text && strcmp(node->text, text) == 0;
}

static void check_size(struct checker *checker,
                       const struct json_node *table,
                       size_t rows,
                       size_t columns)
{
    const struct json_node *size = check_member(checker, table, "size", JSON_ARRAY);

    if (!size)
        return;
    if (size->count != 2 || !check_is_scalar(size->first) ||
        !check_is_scalar(size->first->next) ||
        strtoul(size->first->text, NULL, 10) != rows ||
        strtoul(size->first->next->text, NULL, 10) != columns)
        check_error(checker, "size", "'size' must be [%zu, %zu]", rows, columns);
}

static void
check_cells(struct checker *checker, const struct json_node *row, size_t columns)
{
    const struct json_node *cells = check_member(checker, row, "value", JSON_ARRAY);

    if (!cells)
        return;
    if (cells->count != columns)
        check_error(checker, "cells", "a row has %zu cells; the table has %zu columns",
                    cells->count, columns);
    for (const struct json_node *it = cells->first; it; it = it->next)
        if (!check_is_scalar(it)) {
            check_error(checker, "kind", "a cell must be a text or a number");
            return;
        }
}

static void check_block_table(struct checker *checker, const struct json_node *table)
{
    const struct json_node *heads =
        check_member(checker, table, "head_name", JSON_ARRAY);
    const struct json_node *rows = check_member(checker, table, "row", JSON_ARRAY);

    if (!heads || !rows)
        return;
    check_texts(checker, table, "head_name");
    check_size(checker, table, rows->count + 1, heads->count);
    for (const struct json_node *it = rows->first; it; it = it->next)
        check_cells(checker, it, heads->count);
}

/* The reader shows a missing value as empty, so a missing key is only a warning. */
static void
check_value(struct checker *checker, const struct json_node *root, const char *key)
{
    const struct json_node *node = json_tree_get(root, key);

    if (!node)
        check_warn(checker, "key", "'%s' is missing", key);
    else if (!check_is_scalar(node))
        check_error(checker, "kind", "'%s' must be a text or a number", key);
}

void check_basic_info(struct checker *checker, const struct json_node *root)
{
    static const char *const texts[] = {"name", "soc", "op_type"};
    static const char *const scalars[] = {"block_dim", "mix_block_dim", "duration",
                                          "device_id", "pid"};
    bool is_mix = is_text(json_tree_get(root, "op_type"), "mix");
    const char *expected = is_mix ? "mix_block_detail" : "block_detail";
    const char *other = is_mix ? "block_detail" : "mix_block_detail";
    const struct json_node *table;

    for (size_t i = 0; i < COUNT(texts); i++)
        check_value(checker, root, texts[i]);
    for (size_t i = 0; i < COUNT(scalars); i++)
        check_value(checker, root, scalars[i]);
    table = check_member(checker, root, expected, JSON_OBJECT);
    if (table)
        check_block_table(checker, table);
    if (json_tree_get(root, other))
        check_warn(checker, "one-table", "'%s' does not belong to this op_type", other);
}

void check_workload(struct checker *checker, const struct json_node *root)
{
    const struct json_node *items =
        check_member(checker, root, "subblock_detail", JSON_ARRAY);
    struct map *seen = map_create();
    bool is_chart = checker->block->type == 0x06;

    check_texts(checker, root, "advice");
    for (const struct json_node *it = items ? items->first : NULL; it; it = it->next) {
        const struct json_node *unit = check_member(checker, it, "unit", JSON_NUMBER);
        const struct json_node *block = json_tree_get(it, "block_id");
        const struct json_node *type =
            check_member(checker, it, "block_type", JSON_TEXT);
        const struct json_node *name = check_member(checker, it, "name", JSON_TEXT);
        char key[200];

        check_scalar(checker, it, "block_id");
        check_scalar(checker, it, "value");
        if (is_chart)
            check_scalar(checker, it, "origin_value");
        if (unit &&
            (strlen(unit->text) != 1 || unit->text[0] < '0' || unit->text[0] > '3'))
            check_error(checker, "unit", "'unit' must be 0, 1, 2 or 3, not %.20s",
                        unit->text);
        if (!check_is_scalar(block) || !type || !name)
            continue;
        snprintf(key, sizeof(key), "%.20s/%.40s%.100s", block->text, type->text,
                 name->text);
        if (map_put(seen, key, seen))
            check_warn(checker, "unique", "two rows have the same key %.150s", key);
    }
    map_destroy(seen);
}

static bool is_path_number(const struct json_node *node)
{
    char *end;
    unsigned long number;

    if (!check_is_scalar(node))
        return false;
    number = strtoul(node->text, &end, 10);
    return !*end && end != node->text &&
           (number <= 25 || (number >= 35 && number <= 55));
}

/* The paths that the viewer draws for a chip family and an operator type. */
static const struct drawing {
    const char *soc, *op_type;
    const char *paths; /* each as " n " */
} drawings[] = {
    {"910B", "vector", " 0 1 12 13 14 15 "},
    {"910B", "cube", " 0 1 2 3 4 5 6 7 8 9 10 11 35 36 37 38 "},
    {"910B", "mix", " 0 1 2 3 4 5 6 7 8 9 10 11 35 36 37 38 12 13 14 15 16 17 18 19 "},
    {"310P", "AiCore", " 0 1 20 21 22 6 7 8 23 24 25 13 14 15 "},
    {"910A5", "vector", " 0 1 12 13 14 15 48 52 54 50 "},
    {"910A5", "cube", " 0 1 2 37 38 6 7 8 39 41 40 "},
    {"910A5", "mix",
     " 0 1 2 37 38 6 7 8 39 41 40 42 43 44 46 12 13 14 15 16 17 18 19 48 49 52 53 54 "
     "55 "
     "45 47 50 51 "},
};

static const struct drawing *drawing_of(const struct json_node *core)
{
    for (size_t i = 0; i < COUNT(drawings); i++)
        if (is_text(json_tree_get(core, "soc"), drawings[i].soc) &&
            is_text(json_tree_get(core, "op_type"), drawings[i].op_type))
            return &drawings[i];
    return NULL;
}

static void check_drawn(struct checker *checker,
                        const struct drawing *drawing,
                        const struct json_node *number)
{
    char key[24];

    if (!drawing || !is_path_number(number))
        return;
    snprintf(key, sizeof(key), " %.10s ", number->text);
    if (!strstr(drawing->paths, key))
        check_warn(checker, "path", "the drawing of %s, %s has no path %.10s",
                   drawing->soc, drawing->op_type, number->text);
}

static void check_flow(struct checker *checker, const struct json_node *flow)
{
    static const char *const scalars[] = {"request", "bandwidth", "peak_ratio"};
    const struct json_node *display = json_tree_get(flow, "display");

    if (!is_path_number(json_tree_get(flow, "memory_path")))
        check_error(
            checker, "path",
            "'memory_path' is not the number of a path: use 0 to 25 or 35 to 55");
    for (size_t i = 0; i < COUNT(scalars); i++)
        check_scalar(checker, flow, scalars[i]);
    if (!is_text(display, "1") && !is_text(display, "1.0"))
        check_error(checker, "display",
                    "'display' must be 1, otherwise the viewer hides the path");
}

static void check_core(struct checker *checker, const struct json_node *core)
{
    static const char *const l2_keys[] = {"hit", "miss", "total_request", "hit_ratio"};
    static const char *const units[] = {"Cube", "Vector", "Vector1"};
    static const char *const unit_keys[] = {"cycle", "total_cycles", "ratio"};
    const struct json_node *soc = check_member(checker, core, "soc", JSON_TEXT);
    const struct json_node *flows =
        check_member(checker, core, "memory_unit", JSON_ARRAY);
    const struct json_node *l2 = check_member(checker, core, "L2cache", JSON_OBJECT);

    check_scalar(checker, core, "core_no");
    check_member(checker, core, "op_type", JSON_TEXT);
    check_texts(checker, core, "advice");
    if (soc && !strstr(soc->text, "910") && !strstr(soc->text, "310"))
        check_error(
            checker, "soc",
            "the viewer has no drawing for soc '%.40s': it must contain 910 or 310",
            soc->text);
    for (const struct json_node *it = flows ? flows->first : NULL; it; it = it->next) {
        check_flow(checker, it);
        check_drawn(checker, drawing_of(core), json_tree_get(it, "memory_path"));
    }
    check_unique(checker, flows, "memory_path");
    for (size_t i = 0; l2 && i < COUNT(l2_keys); i++)
        check_scalar(checker, l2, l2_keys[i]);
    for (size_t i = 0; i < COUNT(units); i++) {
        if (!json_tree_get(core, units[i]))
            continue;
        const struct json_node *unit =
            check_member(checker, core, units[i], JSON_OBJECT);
        for (size_t k = 0; unit && k < COUNT(unit_keys); k++)
            check_scalar(checker, unit, unit_keys[k]);
    }
}

void check_memory_map(struct checker *checker, const struct json_node *root)
{
    const struct json_node *cores =
        check_member(checker, root, "core_memory_map", JSON_ARRAY);

    for (const struct json_node *it = cores ? cores->first : NULL; it; it = it->next)
        check_core(checker, it);
    check_unique(checker, cores, "core_no");
}

static void check_table(struct checker *checker, const struct json_node *table)
{
    const struct json_node *heads =
        check_member(checker, table, "header_name", JSON_ARRAY);
    const struct json_node *rows = check_member(checker, table, "row", JSON_ARRAY);

    check_member(checker, table, "table_name", JSON_TEXT);
    if (!heads || !rows)
        return;
    check_texts(checker, table, "header_name");
    if (!heads->count || !is_text(heads->first, "")) {
        check_error(checker, "header", "the first text of 'header_name' must be \"\"");
        return;
    }
    check_size(checker, table, rows->count, heads->count - 1);
    for (const struct json_node *it = rows->first; it; it = it->next) {
        check_member(checker, it, "name", JSON_TEXT);
        check_cells(checker, it, heads->count - 1);
    }
}

void check_memory_table(struct checker *checker, const struct json_node *root)
{
    const struct json_node *blocks =
        check_member(checker, root, "table_per_block", JSON_ARRAY);

    for (const struct json_node *it = blocks ? blocks->first : NULL; it;
         it = it->next) {
        const struct json_node *tables =
            check_member(checker, it, "table_detail", JSON_ARRAY);

        check_scalar(checker, it, "block_id");
        check_member(checker, it, "table_op_type", JSON_TEXT);
        check_texts(checker, it, "advice");
        for (const struct json_node *t = tables ? tables->first : NULL; t; t = t->next)
            check_table(checker, t);
        check_unique(checker, tables, "table_name");
    }
    check_unique(checker, blocks, "block_id");
}
