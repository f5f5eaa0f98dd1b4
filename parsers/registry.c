#include "parsers/parser.h"
#include "parsers/tables/csv.h"
#include "parsers/visualize/views.h"

static void run_visualize(const struct parser *parser,
                          const struct measure *measure,
                          unsigned metrics,
                          struct text *out)
{
    (void)parser;
    view_file(measure, metrics, out);
}

static void run_basic_info(const struct parser *parser,
                           const struct measure *measure,
                           unsigned metrics,
                           struct text *out)
{
    (void)parser;
    (void)metrics;
    csv_op_basic_info(measure, out);
}

static void run_table(const struct parser *parser,
                      const struct measure *measure,
                      unsigned metrics,
                      struct text *out)
{
    (void)metrics;
    csv_table(measure, &column_tables(measure->info->chip)[parser->table], out);
}

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
    &visualize, &basic_info, &arithmetic, &l2_cache, &memory,
    &memory_l0, &memory_ub,  &pipe,       &conflict, NULL,
};
