/* metrics_page.c - prints docs/reference/metrics.md
 *
 *   metrics_page           prints the page
 *   metrics_page FILE      fails when FILE differs from the page
 *
 * Everything in a table of the page comes from the tables of the programs: the metric
 * names, the counter schedules, the columns with their formulas, the blocks and the
 * stored figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "parsers/capture_report/step_figures.h"
#include "parsers/findings/key_figures.h"
#include "parsers/iree/output/iree_figures.h"
#include "parsers/metrics/columns.h"
#include "parsers/run/parser.h"
#include "parsers/run/simulation_parse.h"
#include "parsers/visualize/visualize_file.h"

static const struct family {
    enum chip chip;
    const char *name, *models;
} families[] = {
    {CHIP_A2, "A2 and A3", "910B, 910_93, and the 310B"},
    {CHIP_310P, "310P", "310P"},
    {CHIP_A5, "A5", "950"},
};

static const char head[] =
    "# Metrics\n"
    "\n"
    "<!-- Written by `make reference` from the tables of the programs; do not edit. "
    "-->\n"
    "\n"
    "`profile.metrics` of a job lists names of this page. Case does not matter.\n"
    "Without the key, `Default` is measured; an empty list runs the program without\n"
    "measuring it. A core counts 8 events at a time (10 on the A5), so a launch is\n"
    "executed several times, each time with other counters. Each execution is a pass.\n"
    "\n"
    "## Names\n"
    "\n"
    "The last columns are the passes that each chip family needs for this name\n"
    "alone. Several names share passes. `-` means that the family has no such metric.\n"
    "\n";

static const char names_end[] =
    "\n"
    "`MemoryDetail`, `Source` and `InstrTimeline` launch an instrumented copy of the\n"
    "kernel in addition to these passes, and `PipeTimeline` the kernel itself. The L2 "
    "counters of A2 and A3 need one more\n"
    "pass with their channel alone; the numbers include it.\n"
    "\n"
    "With `KernelScale` the counters run only from `MetricsProfStart` to\n"
    "`MetricsProfStop` in the kernel. It has no table; alone it selects `Default`.\n"
    "The cycles of each core are then the time base of all its columns.\n"
    "\n"
    "These names belong to `profile.tool: simulator`, because only the vendor's\n"
    "instruction simulator writes their data ([Instruction "
    "simulator](../user/simulator.md)):\n";

static const char blocks_head[] =
    "\n\n## Blocks of visualize_data.bin\n"
    "\n"
    "These blocks depend on the metrics. All other blocks are written whenever the\n"
    "launch has their data: the timeline, source lines, instructions, stalls and\n"
    "cache lines.\n"
    "\n"
    "| block | written for |\n"
    "| --- | --- |\n";

static const char columns_head[] =
    "\n## Columns of the CSV tables\n"
    "\n"
    "A table has one row for each cube or vector core that executed a block, and on\n"
    "the 310P one row for the launch. In the formulas:\n"
    "\n"
    "- `e10` is the count of event 10 in this row. `A>B` are the bytes that an\n"
    "  instrumented launch (`MemoryDetail`) moved from memory A to memory B;\n"
    "  `A>B/128` are the requests of 128 bytes, with each transfer rounded up, and\n"
    "  `A>B//128` with only the sum rounded up.\n"
    "- `cycles` are all cycles of the row; `pass` are those of the pass that counted\n"
    "  the first event. `clock` is the clock of the core in MHz.\n"
    "- `time` are the cycles of the row over `clock`, in microseconds. For an "
    "operator\n"
    "  with cube and vector cores it is the duration of the launch, because these\n"
    "  cores start at different times. For the same reason, `pass` of such an "
    "operator\n"
    "  is duration times clock, except on the A5.\n"
    "- `limit` is the highest bandwidth of the path that was measured on this card\n"
    "  model (`parsers/metrics/bandwidth_limits.c`).\n"
    "- On the 310P, whose counters add up all blocks, times are divided by the number\n"
    "  of blocks and multiplied by the rounds in which the cores execute them.\n"
    "- GB/s are 2^30 bytes per second and KB are 1024 bytes, as in the vendor's tool.\n"
    "\n"
    "A cell is `NA` when an event was not counted, when the column does not apply to\n"
    "the kind of core, or when a difference is negative (0 on the A5). A quotient\n"
    "whose divisor is 0 is 0, on the A5 `NA`.\n"
    "[Differences](differences.md) lists where the vendor's tool computes something\n"
    "else.\n"
    "\n"
    "On A2 and A3, PipeUtilization has more columns after these: the time that a core\n"
    "waited for each flag, if it waited, and with `MemoryDetail`\n"
    "`aic_mte1_active_bw(GB/s)` and `aic_mte2_active_bw(GB/s)`\n"
    "(`parsers/tables/optional_columns.c`). OpBasicInfo.csv is always written: name,\n"
    "kind, duration, blocks, device, process and clocks of the launch.\n";

static const char figures_head[] =
    "\n## Stored figures\n"
    "\n"
    "The store keeps these figures of each launch (`v_results` in `muster.db`), and\n"
    "reports compare them. A figure of a column exists where the chip's table has the\n"
    "column and the job measured it. When another rank measured it, `NAME_of_rank` is\n"
    "the number of that rank.\n"
    "\n"
    "A launch of several ranks on an A2 or A3 also has `transfer_us_rank_N` and\n"
    "`wait_us_rank_N` for each other rank N: the copies from that rank (to it, where\n"
    "none comes back), and the waits until it was ready for them. Copies that the\n"
    "computation hides are part of `transfer_us_rank_N`, but not of `transfer_us`.\n"
    "An operator with several communicators has `transfer_us_group_G_rank_N` in place\n"
    "of them, with N in that communicator: group 1 transfers first, then group 2.\n"
    "\n"
    "A launch that brings tokens to experts (`MoeDistributeDispatch...`) has "
    "`moe_tokens`\n"
    "(rows that the experts of the rank received), `moe_imbalance` (rows of its "
    "busiest\n"
    "expert over their mean), and for each of them `moe_tokens_expert_N` (a shared "
    "expert:\n"
    "`moe_tokens_shared_expert`), `moe_tokens_rank_N` (rows from rank N) and\n"
    "`moe_bytes_rank_N` (bytes from rank N, not from the rank itself).\n"
    "\n"
    "| figure | unit | meaning |\n"
    "| --- | --- | --- |\n";

/* Adds the files of the parsers that run for these metrics. */
static void add_files(struct text *page, unsigned metrics)
{
    const char *separator = "";

    for (const struct parser *parser = parsers; parser->name; parser++) {
        if (!(parser->metrics & metrics))
            continue;
        text_printf(page, "%s%s", separator, parser->makes);
        separator = ", ";
    }
    if (!*separator)
        text_add(page, "-");
}

static void add_passes(struct text *page, enum chip chip, const char *name)
{
    struct counter_schedule schedule;
    struct err err;

    if (counter_schedule_plan(chip, name, &schedule, &err) < 0)
        text_add(page, "- |");
    else
        text_printf(page, "%zu |", counter_schedule_executions(&schedule));
}

static void add_names(struct text *page)
{
    const char *name, *separator = "";
    unsigned bits;

    text_add(page, "| name | CSV tables |");
    for (size_t i = 0; i < COUNT(families); i++)
        text_printf(page, " %s |", families[i].name);
    text_add(page, "\n| --- | --- |");
    for (size_t i = 0; i < COUNT(families); i++)
        text_add(page, " --- |");
    for (size_t i = 0; (name = metric_name(i, &bits)); i++) {
        if (bits & METRIC_SIMULATED)
            continue;
        text_printf(page, "\n| `%s` | ", name);
        if (bits == METRIC_TABLES)
            text_add(page, "the seven tables below");
        else if ((bits & METRIC_TABLES) == METRIC_TABLES)
            text_add(page, "those of `Default`");
        else
            add_files(page, bits);
        text_add(page, " |");
        for (size_t k = 0; k < COUNT(families); k++) {
            text_add_char(page, ' ');
            add_passes(page, families[k].chip, name);
        }
    }
    text_add(page, "\n");
    text_add(page, names_end);
    for (size_t i = 0; (name = metric_name(i, &bits)); i++)
        if (bits & METRIC_SIMULATED) {
            text_printf(page, "%s`%s`", separator, name);
            separator = ", ";
        }
    text_add(page, ".");
}

static void add_blocks(struct text *page)
{
    enum bin_type type;
    unsigned metrics, bits;
    const char *name;

    text_add(page, blocks_head);
    for (size_t i = 0; visualize_file_block(i, &type, &metrics); i++) {
        const char *separator = "";

        text_printf(page, "| 0x%02X %s | %s", (unsigned)type, bin_type_name(type),
                    metrics ? "" : "every launch");
        for (size_t k = 0; (name = metric_name(k, &bits)); k++)
            if (bits & metrics) {
                text_printf(page, "%s`%s`", separator, name);
                separator = ", ";
            }
        text_add(page, " |\n");
    }
}

/* Adds a formula of measure.h and marks each event number with an e. */
static void add_terms(struct text *page, const char *terms)
{
    while (*terms) {
        size_t length = strcspn(terms, "+-");
        size_t factor = strcspn(terms, "*");

        if (*terms == '+' || *terms == '-') {
            text_printf(page, " %c ", *terms++);
            continue;
        }
        factor = factor < length ? factor + 1 : 0;
        text_add_bytes(page, terms, factor);
        if (terms[factor] <= '9')
            text_add_char(page, 'e');
        text_add_bytes(page, terms + factor, length - factor);
        terms += length;
    }
}

/* Adds the terms, in parentheses when they are a sum. */
static void add_factor(struct text *page, const char *terms)
{
    bool is_sum = strpbrk(terms, "+-");

    text_add(page, is_sum ? "(" : "");
    add_terms(page, terms);
    text_add(page, is_sum ? ")" : "");
}

static void add_bytes(struct text *page, const struct column *column)
{
    add_factor(page, column->terms);
    if (column->bytes != 1)
        text_printf(page, " * %u", column->bytes);
}

/* Adds the share of one type of instruction in the cycles of its pipe. */
static void add_share(struct text *page, const struct column *column)
{
    const char *at = strchr(column->terms, '@');
    char terms[64];

    snprintf(terms, sizeof(terms), "%.*s", (int)(at - column->terms), column->terms);
    text_add(page, "floor(");
    add_factor(page, at + 1);
    text_add(page, " * ");
    add_factor(page, terms);
    text_add(page, " / ");
    add_factor(page, column->over);
    text_add(page, ") / pass");
}

static void add_quotient(struct text *page, const struct column *column)
{
    add_factor(page, column->terms);
    text_add(page, " / ");
    add_factor(page, column->over);
}

static void add_active(struct text *page, const struct column *column)
{
    add_bytes(page, column);
    text_add(page, " / (");
    add_factor(page, column->over);
    text_add(page, " / clock)");
}

static void add_formula(struct text *page, const struct column *column)
{
    switch (column->kind) {
    case COLUMN_BLOCK:
        text_add(page, "number of the block");
        break;
    case COLUMN_SUB_BLOCK:
        text_add(page, "name of the core: cube0, vector0, vector1");
        break;
    case COLUMN_TIME:
        text_add(page, "cycles / clock");
        break;
    case COLUMN_CYCLES:
        text_add(page, "cycles");
        break;
    case COLUMN_COUNT:
        add_terms(page, column->terms);
        break;
    case COLUMN_MICROSECONDS:
        add_factor(page, column->terms);
        text_add(page, " / clock");
        break;
    case COLUMN_RATIO:
        add_factor(page, column->terms);
        text_add(page, " / pass");
        break;
    case COLUMN_SHARE:
        add_share(page, column);
        break;
    case COLUMN_BANDWIDTH:
        add_bytes(page, column);
        text_add(page, " / time");
        break;
    case COLUMN_KILOBYTES:
        add_bytes(page, column);
        text_add(page, " / 1024");
        break;
    case COLUMN_USAGE:
        text_add(page, "100 * min(1, ");
        add_bytes(page, column);
        text_add(page, " / time / limit)");
        break;
    case COLUMN_ACTIVE:
        add_active(page, column);
        break;
    case COLUMN_QUOTIENT:
        add_quotient(page, column);
        break;
    case COLUMN_PERCENT:
        text_add(page, "100 * ");
        add_quotient(page, column);
        break;
    case COLUMN_OPERATIONS:
        text_add(page, "operations of the vector unit: the sum of seven counts, each"
                       " times its operations (`parsers/metrics/measure.c`)");
        break;
    case COLUMN_L2_RATE:
        text_add(page, "100 * hits / requests of the L2 channel");
        break;
    }
}

static void add_columns(struct text *page, const struct family *family)
{
    static const char *const rows[] = {"all", "cube", "vector"};
    const struct column_table *tables = column_tables(family->chip);

    text_printf(page, "\n### %s (%s)\n", family->name, family->models);
    for (size_t t = 0; t < COLUMN_TABLES; t++) {
        text_printf(page,
                    "\n%s.csv:\n\n| column | rows | formula |\n| --- | --- | --- |\n",
                    tables[t].name);
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct column *column = &tables[t].columns[i];

            text_printf(page, "| `%s` | %s | ", column->name,
                        family->chip == CHIP_310P ? "all" : rows[column->rows]);
            add_formula(page, column);
            text_add(page, " |\n");
        }
    }
}

static const char range_figures_tail[] =
    "\nA replayed range has figures of its own. `duration_us` is the time from the "
    "start "
    "of its first\nlaunch to the end of its last one. These figures are added, and the "
    "sums of cycles, operations\nand bytes over its launches; ratios and bandwidths of "
    "several launches have no meaning.\n\n"
    "| figure | unit | meaning |\n| --- | --- | --- |\n"
    "| `range_launches` | count | launches of the segment |\n"
    "| `range_segment` | number | number of the segment in its marked range, from 1 |\n"
    "| `range_busy_us` | us | sum of the durations of its launches, without the gaps "
    "between them |\n";

static const char iree_head[] =
    "\nA job with `profile.tool: iree` has the figures of the files that the program "
    "wrote. Dumps\n(IDB0) have those of a dispatch site, profiles (`.ireeprof`) those "
    "of "
    "an operation:\n\n"
    "| figure | unit | meaning |\n| --- | --- | --- |\n";

static const char step_head[] =
    "\nA job with `profile.tool: framework` has the figures of each group of steps, "
    "which have the\nsame sequence of kernels. All times are means over these "
    "steps:\n\n"
    "| figure | unit | meaning |\n| --- | --- | --- |\n";

static const char simulation_head[] =
    "\nA job with `profile.tool: simulator` has these figures of its logs:\n\n"
    "| figure | unit | meaning |\n| --- | --- | --- |\n";

static void add_figures(struct text *page)
{
    static const char *const aggregations[] = {"mean", "maximum", "sum"};
    size_t count;
    const struct key_figure *figures = key_figures(&count);

    text_add(page, figures_head);
    for (size_t i = 0; i < count; i++)
        if (figures[i].column)
            text_printf(page, "| `%s` | %s | %s of `%s` over all rows |\n",
                        figures[i].metric, figures[i].unit,
                        aggregations[figures[i].aggregation], figures[i].column);
        else
            text_printf(page, "| `%s` | %s | %s |\n", figures[i].metric,
                        figures[i].unit, figures[i].meaning);
    text_add(page, range_figures_tail);
    text_add(page, iree_head);
    for (size_t i = 0; iree_metric_at(i); i++)
        text_printf(page, "| `%s` | %s | %s |\n", iree_metric_at(i)->metric,
                    iree_metric_at(i)->unit, iree_metric_at(i)->meaning);
    text_add(page, step_head);
    for (size_t i = 0; step_metric_at(i); i++)
        text_printf(page, "| `%s` | %s | %s |\n", step_metric_at(i)->metric,
                    step_metric_at(i)->unit, step_metric_at(i)->meaning);
    text_add(page, simulation_head);
    for (size_t i = 0; simulation_figure_at(i); i++)
        text_printf(page, "| `%s` | %s | %s |\n", simulation_figure_at(i)->metric,
                    simulation_figure_at(i)->unit, simulation_figure_at(i)->meaning);
}

int main(int argc, char **argv)
{
    struct text page = {0};
    struct err err;
    char *committed = NULL;
    size_t size;
    int result = 0;

    text_add(&page, head);
    add_names(&page);
    add_blocks(&page);
    text_add(&page, columns_head);
    for (size_t i = 0; i < COUNT(families); i++)
        add_columns(&page, &families[i]);
    add_figures(&page);
    if (argc < 2) {
        fputs(page.bytes, stdout);
    } else if (file_read(&committed, &size, argv[1], 1 << 20, &err) < 0 ||
               strcmp(committed, page.bytes) != 0) {
        fprintf(stderr, "%s is out of date; run make reference\n", argv[1]);
        result = 1;
    }
    free(committed);
    text_clear(&page);
    return result;
}
