#include "parsers/run/parser.h"
#include "parsers/tables/metric_csv.h"
#include "parsers/tables/shared_passes.h"
#include "parsers/visualize/block_writers.h"

bool parser_applies(const struct parser *parser, const struct findings *findings)
{
    unsigned asked = findings->launch->metrics;

    return (!parser->metrics || (asked & parser->metrics)) &&
           (!parser->has_input || parser->has_input(findings));
}

static void run_visualize(const struct parser *parser,
                          const struct findings *findings,
                          struct text *out)
{
    (void)parser;
    view_file(findings, out);
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

static bool has_borrowed(const struct findings *findings)
{
    return findings->shared_passes > 0;
}

static void run_shared_passes(const struct parser *parser,
                              const struct findings *findings,
                              struct text *out)
{
    (void)parser;
    csv_shared_passes(findings, out);
}

static const struct parser shared_passes = {
    .name = "shared-passes",
    .reads = "passes of like ranks",
    .makes = "SharedPasses.csv",
    .has_input = has_borrowed,
    .run = run_shared_passes,
};
static const struct parser visualize = {
    .name = "visualize",
    .reads = "counters, task log, L2 counters",
    .makes = "visualize_data.bin",
    .run = run_visualize,
};
static const struct parser basic_info = {
    .name = "op-basic-info",
    .reads = "counters, task log",
    .makes = "OpBasicInfo.csv",
    .run = run_basic_info,
};

static const struct parser trace = {
    .name = "trace",
    .reads = "blocks, stamps, AI CPU reports",
    .makes = "trace.json",
    .has_input = has_trace,
    .run = run_trace,
};

#define TABLE(id, parser_name, file, bit, at)                                          \
    static const struct parser id = {                                                  \
        .name = parser_name,                                                           \
        .reads = "counters, task log",                                                 \
        .makes = file,                                                                 \
        .metrics = bit,                                                                \
        .table = at,                                                                   \
        .run = run_table,                                                              \
    }

TABLE(arithmetic,
      "arithmetic-utilization",
      "ArithmeticUtilization.csv",
      METRIC_ARITHMETIC_UTILIZATION,
      0);
TABLE(l2_cache, "l2-cache", "L2Cache.csv", METRIC_L2_CACHE, 1);
TABLE(memory, "memory", "Memory.csv", METRIC_MEMORY, 2);
TABLE(memory_l0, "memory-l0", "MemoryL0.csv", METRIC_MEMORY_L0, 3);
TABLE(memory_ub, "memory-ub", "MemoryUB.csv", METRIC_MEMORY_UB, 4);
TABLE(pipe, "pipe-utilization", "PipeUtilization.csv", METRIC_PIPE_UTILIZATION, 5);
TABLE(conflict,
      "resource-conflict-ratio",
      "ResourceConflictRatio.csv",
      METRIC_RESOURCE_CONFLICT,
      6);

const struct parser *const parsers[] = {
    &visualize, &basic_info, &trace, &arithmetic, &l2_cache,      &memory,
    &memory_l0, &memory_ub,  &pipe,  &conflict,   &shared_passes, NULL,
};
