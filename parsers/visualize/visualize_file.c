#include "parsers/visualize/visualize_file.h"

#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/visualize/block_writers.h"

/* Metrics that need the counters of the tables. */
enum { FOR_TABLES = METRIC_TABLES | METRIC_OCCUPANCY | METRIC_ROOFLINE };

static const struct metric_block {
    enum bin_type type;
    unsigned metrics; /* any of these; 0: always */
    void (*write)(const struct measure *measure, struct json_write *json);
} metric_blocks[] = {
    {BIN_BASIC_INFO, 0, basic_info_write},
    {BIN_WORKLOAD_CHART, FOR_TABLES, workload_write_chart},
    {BIN_WORKLOAD_TABLE, FOR_TABLES, workload_write_table},
    {BIN_MEMORY_MAP, FOR_TABLES, memory_map_write},
    {BIN_MEMORY_TABLE, FOR_TABLES, memory_table_write},
    {BIN_OCCUPANCY, METRIC_OCCUPANCY, occupancy_write},
    {BIN_ROOFLINE, METRIC_ROOFLINE, roofline_write},
};

/* Blocks that are written whenever the launch has their data. */
static const struct data_block {
    enum bin_type type;
    bool (*has_data)(const struct findings *findings);
    void (*write)(const struct findings *findings, struct json_write *json);
} data_blocks[] = {
    {BIN_FILES, source_blocks_has_lines, source_blocks_write_lines},
    {BIN_INSTRUCTIONS, source_blocks_has_instructions,
     source_blocks_write_instructions},
    {BIN_STALLS, stalls_has_samples, stalls_write},
    {BIN_CACHELINES, cachelines_has_sets, cachelines_write},
};

static void add_metric_block(struct text *out,
                             const struct metric_block *block,
                             const struct measure *measure)
{
    size_t payload_at = bin_begin(out);
    struct json_write json;
    struct err err;

    json_write_to_text(&json, out);
    block->write(measure, &json);
    json_write_finish(&json, &err); /* writing to memory cannot fail */
    bin_end(out, block->type, payload_at);
}

static void add_data_block(struct text *out,
                           const struct data_block *block,
                           const struct findings *findings)
{
    size_t payload_at = bin_begin(out);
    struct json_write json;
    struct err err;

    json_write_to_text(&json, out);
    block->write(findings, &json);
    json_write_finish(&json, &err);
    bin_end(out, block->type, payload_at);
}

void visualize_file_write(const struct findings *findings, struct text *out)
{
    unsigned metrics = findings->launch->metrics;

    if (findings->trace.length)
        bin_add(out, BIN_TRACE, &findings->trace);
    for (size_t i = 0; i < COUNT(metric_blocks); i++)
        if (!metric_blocks[i].metrics || (metrics & metric_blocks[i].metrics))
            add_metric_block(out, &metric_blocks[i], &findings->measure);
    source_blocks_add_files(findings, out);
    for (size_t i = 0; i < COUNT(data_blocks); i++)
        if (data_blocks[i].has_data(findings))
            add_data_block(out, &data_blocks[i], findings);
    tracekit_blocks_add(findings, out);
}

bool visualize_file_block(size_t index, enum bin_type *type, unsigned *metrics)
{
    if (index >= COUNT(metric_blocks))
        return false;
    *type = metric_blocks[index].type;
    *metrics = metric_blocks[index].metrics;
    return true;
}
