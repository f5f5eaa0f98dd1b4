/* basic_info.c - block 0x05: operator, card, and duration of each block */
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"

static const char *const heads_mix[] = {"Block ID", "Cube0 Duration (μs)",
                                        "Vector0 Duration (μs)",
                                        "Vector1 Duration (μs)"};
static const char *const heads_plain[] = {"Block ID", "Core Type", "Duration (μs)"};

static const double FREQUENCY_SHARE = 0.95;

const char *basic_info_clock_advice(const struct measure *measure)
{
    const struct op_info *info = measure->info;

    if (!info->current_mhz || !info->rated_mhz ||
        info->current_mhz > FREQUENCY_SHARE * info->rated_mhz)
        return NULL;
    return "the current frequency is at most 95% of the rated frequency";
}

static void write_heads(struct json_write *json, const char *const *heads, size_t count)
{
    json_write_key(json, "head_name");
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_text(json, heads[i]);
    json_write_array_end(json);
}

static void write_time(struct json_write *json,
                       const struct measure *measure,
                       const struct pmu_row *row)
{
    value_write_text(json, row ? measure_time(measure, row) : value_none);
}

static void write_row(struct json_write *json,
                      const struct measure *measure,
                      const struct block_rows *entry)
{
    json_write_object(json);
    json_write_key(json, "value");
    json_write_array(json);
    if (measure->info->chip != CHIP_310P)
        block_rows_write_block(json, measure, entry);
    if (measure->kind == OP_MIX) {
        for (size_t i = 0; i < SIDES; i++)
            write_time(json, measure, entry->rows[i]);
    } else {
        json_write_text(json, op_kind_name(measure->kind));
        write_time(json, measure, block_rows_row(entry, SIDE_ALL));
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_blocks(struct json_write *json, const struct measure *measure)
{
    bool is_mix = measure->kind == OP_MIX;
    const char *const *heads = is_mix ? heads_mix : heads_plain;
    size_t columns = is_mix ? COUNT(heads_mix) : COUNT(heads_plain);
    struct block_rows entry;
    size_t at = 0;

    if (measure->info->chip == CHIP_310P) {
        heads++; /* its only row has no block id */
        columns--;
    }
    json_write_key(json, is_mix ? "mix_block_detail" : "block_detail");
    json_write_object(json);
    write_heads(json, heads, columns);
    json_write_key(json, "size");
    json_write_array(json);
    json_write_u64(json, block_rows_count(measure) + 1);
    json_write_u64(json, columns);
    json_write_array_end(json);
    json_write_key(json, "row");
    json_write_array(json);
    while (block_rows_next(measure, &at, &entry))
        write_row(json, measure, &entry);
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_number(struct json_write *json,
                         const char *key,
                         uint64_t number,
                         bool is_known,
                         const char *unknown)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    json_write_key(json, key);
    json_write_text(json, is_known ? text : unknown);
}

static void write_advice(struct json_write *json, const struct measure *measure)
{
    const char *advice = basic_info_clock_advice(measure);

    json_write_key(json, "advice");
    json_write_array(json);
    if (advice)
        json_write_text(json, advice);
    json_write_array_end(json);
}

void basic_info_write(const struct measure *measure, struct json_write *json)
{
    const struct op_info *info = measure->info;
    bool is_mix = measure->kind == OP_MIX;

    json_write_object(json);
    json_write_key(json, "name");
    json_write_text(json, info->name);
    json_write_key(json, "soc");
    json_write_text(json, info->soc);
    json_write_key(json, "op_type");
    json_write_text(json, op_kind_name(measure->kind));
    write_number(json, "block_dim", info->block_dim, true, "");
    write_number(json, "mix_block_dim", measure_rows(measure, CORE_AIV), is_mix, "");
    json_write_key(json, "duration");
    if (measure->has_duration)
        json_write_fixed(json, measure->duration_us, 6);
    else
        json_write_text(json, "NA");
    write_number(json, "device_id", info->device, true, "");
    write_number(json, "pid", info->pid, info->pid, "");
    write_number(json, "cur_freq", info->current_mhz, info->current_mhz, "NA");
    write_number(json, "rated_freq", info->rated_mhz, info->rated_mhz, "NA");
    write_advice(json, measure);
    write_blocks(json, measure);
    json_write_object_end(json);
}
