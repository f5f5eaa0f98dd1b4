/* registry.c - the list of all parsers */
#include "parsers/findings/range_figures.h"
#include "parsers/metrics/columns.h"
#include "parsers/run/parser.h"
#include "parsers/tables/metric_csv.h"
#include "parsers/tables/shared_passes.h"
#include "parsers/visualize/visualize_file.h"

static void run_visualize(const struct parser *parser,
                          const struct findings *findings,
                          struct text *out)
{
    (void)parser;
    visualize_file_write(findings, out);
}

static void run_basic_info(const struct parser *parser,
                           const struct findings *findings,
                           struct text *out)
{
    (void)parser;
    metric_csv_op_basic_info(&findings->measure, out);
}

static void run_table(const struct parser *parser,
                      const struct findings *findings,
                      struct text *out)
{
    const struct measure *measure = &findings->measure;

    metric_csv_table(measure, &column_tables(measure->info->chip)[parser->table], out);
}

static bool has_trace(const struct findings *findings)
{
    return findings->trace.length > 0;
}

static void run_trace(const struct parser *parser,
                      const struct findings *findings,
                      struct text *out)
{
    (void)parser;
    text_add_bytes(out, findings->trace.bytes, findings->trace.length);
}

static bool has_shared_passes(const struct findings *findings)
{
    return findings->shared_passes > 0;
}

static void run_shared_passes(const struct parser *parser,
                              const struct findings *findings,
                              struct text *out)
{
    (void)parser;
    shared_passes_csv(findings, out);
}

static bool is_range(const struct findings *findings)
{
    return findings->range != NULL;
}

static void run_range_launches(const struct parser *parser,
                               const struct findings *findings,
                               struct text *out)
{
    (void)parser;
    range_figures_csv(findings, out);
}

bool parser_applies(const struct parser *parser, const struct findings *findings)
{
    unsigned requested = findings->launch->metrics;

    if (findings->range && parser->run == run_table)
        return false; /* the tables are those of its launches */
    return (!parser->metrics || (requested & parser->metrics)) &&
           (!parser->has_input || parser->has_input(findings));
}

#define COUNTERS "counters, task log"

const struct parser parsers[] = {
    {.name = "visualize",
     .reads = "counters, task log, L2 counters",
     .makes = "visualize_data.bin",
     .has_advice = true,
     .run = run_visualize},
    {.name = "op-basic-info",
     .reads = COUNTERS,
     .makes = "OpBasicInfo.csv",
     .run = run_basic_info},
    {.name = "trace",
     .reads = "blocks, stamps, AI CPU reports",
     .makes = "trace.json",
     .has_input = has_trace,
     .run = run_trace},
    {.name = "arithmetic-utilization",
     .reads = COUNTERS,
     .makes = "ArithmeticUtilization.csv",
     .metrics = METRIC_ARITHMETIC_UTILIZATION,
     .table = 0,
     .run = run_table},
    {.name = "l2-cache",
     .reads = COUNTERS,
     .makes = "L2Cache.csv",
     .metrics = METRIC_L2_CACHE,
     .table = 1,
     .run = run_table},
    {.name = "memory",
     .reads = COUNTERS,
     .makes = "Memory.csv",
     .metrics = METRIC_MEMORY,
     .table = 2,
     .run = run_table},
    {.name = "memory-l0",
     .reads = COUNTERS,
     .makes = "MemoryL0.csv",
     .metrics = METRIC_MEMORY_L0,
     .table = 3,
     .run = run_table},
    {.name = "memory-ub",
     .reads = COUNTERS,
     .makes = "MemoryUB.csv",
     .metrics = METRIC_MEMORY_UB,
     .table = 4,
     .run = run_table},
    {.name = "pipe-utilization",
     .reads = COUNTERS,
     .makes = "PipeUtilization.csv",
     .metrics = METRIC_PIPE_UTILIZATION,
     .table = 5,
     .run = run_table},
    {.name = "resource-conflict-ratio",
     .reads = COUNTERS,
     .makes = "ResourceConflictRatio.csv",
     .metrics = METRIC_RESOURCE_CONFLICT,
     .table = 6,
     .run = run_table},
    {.name = "shared-passes",
     .reads = "passes of equal ranks",
     .makes = "SharedPasses.csv",
     .has_input = has_shared_passes,
     .run = run_shared_passes},
    {.name = "range-launches",
     .reads = COUNTERS,
     .makes = "RangeLaunches.csv",
     .has_input = is_range,
     .run = run_range_launches},
    {.name = NULL},
};
