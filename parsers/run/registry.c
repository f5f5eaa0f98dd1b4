/* registry.c - the list of all parsers */
#include "parsers/findings/range_figures.h"
#include "parsers/metrics/columns.h"
#include "parsers/run/parser.h"
#include "parsers/tables/metric_csv.h"
#include "parsers/tables/shared_passes.h"
#include "parsers/visualize/visualize_file.h"

static void write_basic_info(const struct findings *findings, struct text *out)
{
    metric_csv_op_basic_info(&findings->measure, out);
}

static bool has_trace(const struct findings *findings)
{
    return findings->trace.length > 0;
}

static void write_trace(const struct findings *findings, struct text *out)
{
    text_add_bytes(out, findings->trace.bytes, findings->trace.length);
}

static bool has_shared_passes(const struct findings *findings)
{
    return findings->shared_passes > 0;
}

static bool is_range(const struct findings *findings)
{
    return findings->range != NULL;
}

bool parser_applies(const struct parser *parser, const struct findings *findings)
{
    unsigned requested = findings->launch->metrics;

    if (findings->range && !parser->write)
        return false; /* the tables are those of its launches */
    return (!parser->metrics || (requested & parser->metrics)) &&
           (!parser->has_input || parser->has_input(findings));
}

void parser_run(const struct parser *parser,
                const struct findings *findings,
                struct text *out)
{
    const struct measure *measure = &findings->measure;

    if (parser->write)
        parser->write(findings, out);
    else
        metric_csv_table(measure, &column_tables(measure->info->chip)[parser->table],
                         out);
}

#define COUNTERS "counters, task log"

const struct parser parsers[] = {
    {.name = "visualize",
     .reads = "counters, task log, L2 counters",
     .makes = "visualize_data.bin",
     .has_advice = true,
     .write = visualize_file_write},
    {.name = "op-basic-info",
     .reads = COUNTERS,
     .makes = "OpBasicInfo.csv",
     .write = write_basic_info},
    {.name = "trace",
     .reads = "blocks, stamps, AI CPU reports",
     .makes = "trace.json",
     .has_input = has_trace,
     .write = write_trace},
    {.name = "arithmetic-utilization",
     .reads = COUNTERS,
     .makes = "ArithmeticUtilization.csv",
     .metrics = METRIC_ARITHMETIC_UTILIZATION,
     .table = 0},
    {.name = "l2-cache",
     .reads = COUNTERS,
     .makes = "L2Cache.csv",
     .metrics = METRIC_L2_CACHE,
     .table = 1},
    {.name = "memory",
     .reads = COUNTERS,
     .makes = "Memory.csv",
     .metrics = METRIC_MEMORY,
     .table = 2},
    {.name = "memory-l0",
     .reads = COUNTERS,
     .makes = "MemoryL0.csv",
     .metrics = METRIC_MEMORY_L0,
     .table = 3},
    {.name = "memory-ub",
     .reads = COUNTERS,
     .makes = "MemoryUB.csv",
     .metrics = METRIC_MEMORY_UB,
     .table = 4},
    {.name = "pipe-utilization",
     .reads = COUNTERS,
     .makes = "PipeUtilization.csv",
     .metrics = METRIC_PIPE_UTILIZATION,
     .table = 5},
    {.name = "resource-conflict-ratio",
     .reads = COUNTERS,
     .makes = "ResourceConflictRatio.csv",
     .metrics = METRIC_RESOURCE_CONFLICT,
     .table = 6},
    {.name = "shared-passes",
     .reads = "passes of equal ranks",
     .makes = "SharedPasses.csv",
     .has_input = has_shared_passes,
     .write = shared_passes_csv},
    {.name = "range-launches",
     .reads = COUNTERS,
     .makes = "RangeLaunches.csv",
     .has_input = is_range,
     .write = range_figures_csv},
    {.name = NULL},
};
