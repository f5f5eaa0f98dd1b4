/* workload.c - blocks 0x06 and 0x07: utilization of cube and vector */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/records/operands.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"

enum unit { UNIT_US = 0, UNIT_INSTRUCTIONS = 1, UNIT_PERCENT = 3 };

struct item {
    const char *name;
    const char *terms;
    enum unit unit;
};

static const struct item chart_cube[] = {
    {"Cube All Active", "73+74", UNIT_PERCENT},
    {"Cube FP", "73", UNIT_PERCENT},
    {"Cube INT", "74", UNIT_PERCENT},
    {"Cube Wait", "88", UNIT_PERCENT},
};
static const struct item chart_vector[] = {
    {"Vector All Active", "8", UNIT_PERCENT},
};
static const struct item chart_cube_a5[] = {
    {"Cube All Active", "810", UNIT_PERCENT},
    {"Cube FP", "808", UNIT_PERCENT},
    {"Cube INT", "809", UNIT_PERCENT},
};
static const struct item chart_vector_a5[] = {
    {"Vector All Active", "1281", UNIT_PERCENT},
};
static const struct item table_cube[] = {
    {"Cube All Active", "3", UNIT_INSTRUCTIONS},
    {"Cube FP", "1032", UNIT_INSTRUCTIONS},
    {"Cube INT", "1033", UNIT_INSTRUCTIONS},
};
static const struct item table_vector[] = {
    {"Vector All Active", "1", UNIT_INSTRUCTIONS},
    {"Vector S32", "78", UNIT_INSTRUCTIONS},
    {"Vector FP32", "75-76", UNIT_INSTRUCTIONS},
    {"Vector FP16", "76+77+174", UNIT_INSTRUCTIONS},
    {"Vector S16", "186", UNIT_INSTRUCTIONS},
    {"Vector Misc", "79", UNIT_INSTRUCTIONS},
    {"Vector Fusion", "184", UNIT_INSTRUCTIONS},
    {"Vector DB Para", "185", UNIT_INSTRUCTIONS},
    {"Vector All Block", "100+101+102+103", UNIT_INSTRUCTIONS},
    {"Vector Bank Group Conflict Block", "100", UNIT_INSTRUCTIONS},
    {"Vector Bank Conflict Block", "101", UNIT_INSTRUCTIONS},
    {"Vector VALU Resource Conflict Block", "102", UNIT_INSTRUCTIONS},
    {"Vector MTE Urgent Request Block", "103", UNIT_INSTRUCTIONS},
    {"Vector Wait", "89", UNIT_US},
};
static const struct item table_cube_a5[] = {
    {"Cube FP", "789", UNIT_INSTRUCTIONS},
    {"Cube INT", "790", UNIT_INSTRUCTIONS},
    {"Cube All Active", "768", UNIT_INSTRUCTIONS},
    {"Cube Wait", "11", UNIT_US},
};
/* The operand types precede this row when they were recorded. */
static const struct item table_vector_a5[] = {
    {"Vector Wait", "12", UNIT_US},
};

static const struct section {
    enum core_kind kind;
    bool is_chart, is_a5;
    const struct item *items;
    size_t count;
} sections[] = {
    {CORE_AIC, true, false, chart_cube, COUNT(chart_cube)},
    {CORE_AIV, true, false, chart_vector, COUNT(chart_vector)},
    {CORE_AIC, true, true, chart_cube_a5, COUNT(chart_cube_a5)},
    {CORE_AIV, true, true, chart_vector_a5, COUNT(chart_vector_a5)},
    {CORE_AIC, false, false, table_cube, COUNT(table_cube)},
    {CORE_AIV, false, false, table_vector, COUNT(table_vector)},
    {CORE_AIC, false, true, table_cube_a5, COUNT(table_cube_a5)},
    {CORE_AIV, false, true, table_vector_a5, COUNT(table_vector_a5)},
};

static void write_head(struct json_write *json,
                       const struct measure *measure,
                       const struct pmu_row *row,
                       const struct item *item)
{
    bool is_mix = measure->kind == OP_MIX;
    struct block_rows entry = {.block = row->block};
    char name[80], type[16];

    measure_row_name(measure, row, type);
    json_write_key(json, "block_id");
    block_rows_write_block(json, measure, &entry);
    json_write_key(json, "block_type");
    json_write_text(json, is_mix ? type : op_kind_name(measure->kind));
    json_write_key(json, "name");
    if (is_mix && item->unit == UNIT_PERCENT && row->kind == CORE_AIV) {
        snprintf(name, sizeof(name), "%s%u", item->name, row->sub_block);
        json_write_text(json, name);
    } else {
        json_write_text(json, item->name);
    }
    json_write_key(json, "unit");
    json_write_u64(json, item->unit);
}

/* Returns the count of an item. 75-76 is the difference of overlapping counters and can
 * be negative, which counts as 0. */
static struct value count_of(const struct measure *measure,
                             const struct pmu_row *row,
                             const struct item *item)
{
    struct value value = measure_sum(measure, row, item->terms, NULL);

    if (item->unit == UNIT_US && value.kind != VALUE_NONE)
        return value_integer((uint64_t)floor(value.real / measure->clock_mhz));
    if (value.kind == VALUE_NONE && strcmp(item->terms, "75-76") == 0 &&
        measure_sum(measure, row, "75+76", NULL).kind != VALUE_NONE)
        return value_integer(0);
    return value;
}

/* Writes nothing when the share was not counted. */
static void write_percent(struct json_write *json,
                          const struct measure *measure,
                          const struct pmu_row *row,
                          const struct item *item)
{
    uint64_t cycles = 0;
    struct value count = measure_sum(measure, row, item->terms, &cycles);

    if (count.kind == VALUE_NONE)
        return;
    json_write_object(json);
    write_head(json, measure, row, item);
    json_write_key(json, "origin_value");
    value_write(json, count);
    json_write_key(json, "value");
    value_write(json, value_real(cycles ? 100 * count.real / (double)cycles : 0));
    json_write_object_end(json);
}

static void write_count(struct json_write *json,
                        const struct measure *measure,
                        const struct pmu_row *row,
                        const struct item *item)
{
    json_write_object(json);
    write_head(json, measure, row, item);
    json_write_key(json, "value");
    value_write_text(json, count_of(measure, row, item));
    json_write_object_end(json);
}

static void write_operand(struct json_write *json,
                          const struct measure *measure,
                          const struct pmu_row *row,
                          const char *type,
                          uint64_t count)
{
    char name[40];
    struct item item = {name, NULL, UNIT_INSTRUCTIONS};

    snprintf(name, sizeof(name), "Vector %s", type);
    json_write_object(json);
    write_head(json, measure, row, &item);
    json_write_key(json, "value");
    value_write_text(json, value_integer(count));
    json_write_object_end(json);
}

/* Writes the instructions by operand type, without zero counts, and their total. */
static void write_operands(struct json_write *json,
                           const struct measure *measure,
                           const struct pmu_row *row)
{
    const struct operand_block *block =
        operands_at(measure->operands, measure_device_block(measure, row));
    uint64_t all = 0;

    for (unsigned type = 0; block && type < OPERAND_TYPES; type++) {
        uint64_t count;

        if (__builtin_add_overflow(block->simd[type].instructions,
                                   block->simt[type].instructions, &count))
            count = UINT64_MAX;
        if (count)
            write_operand(json, measure, row, operand_name(type), count);
        all = count > UINT64_MAX - all ? UINT64_MAX : all + count;
    }
    if (measure->operands)
        write_operand(json, measure, row, "All Active", all);
}

static void write_row(struct json_write *json,
                      const struct measure *measure,
                      const struct pmu_row *row,
                      bool is_chart)
{
    enum chip chip = measure->info->chip;

    for (size_t i = 0; i < COUNT(sections); i++) {
        const struct section *section = &sections[i];

        if (section->is_chart != is_chart || section->is_a5 != (chip == CHIP_A5) ||
            (section->kind != row->kind && chip != CHIP_310P))
            continue;
        if (section->items == table_vector_a5)
            write_operands(json, measure, row);
        for (size_t k = 0; k < section->count; k++)
            if (is_chart)
                write_percent(json, measure, row, &section->items[k]);
            else
                write_count(json, measure, row, &section->items[k]);
    }
}

static void
write_block(const struct measure *measure, struct json_write *json, bool is_chart)
{
    json_write_object(json);
    json_write_key(json, "advice");
    json_write_array(json);
    json_write_array_end(json);
    json_write_key(json, "subblock_detail");
    json_write_array(json);
    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++)
        write_row(json, measure, pmu_row(measure->pmu, i), is_chart);
    json_write_array_end(json);
    json_write_object_end(json);
}

void workload_write_chart(const struct measure *measure, struct json_write *json)
{
    write_block(measure, json, true);
}

void workload_write_table(const struct measure *measure, struct json_write *json)
{
    write_block(measure, json, false);
}
