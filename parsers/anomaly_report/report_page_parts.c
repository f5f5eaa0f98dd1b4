#include "parsers/anomaly_report/report_page_parts.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"
#include "parsers/anomaly_report/gap_text.h"
#include "parsers/anomaly_report/part_times.h"
#include "parsers/block_side/block_side.h"

static void put_share(struct html_table *table, double share, bool is_known)
{
    html_table_number(table, is_known ? 100 * share : NAN);
}

void report_page_causes(struct text *page,
                        const struct analysis *analysis,
                        const char *id)
{
    static const struct html_column columns[] = {
        {"Possible cause", NULL, HTML_COLUMN_TEXT, 0},
        {"Steps", NULL, HTML_COLUMN_TEXT, 0},
        {"Share %", "of the examined idle time", HTML_COLUMN_NUMBER, 1},
        {"Idle ms", "gaps with this label", HTML_COLUMN_NUMBER, 3},
        {"Host %", "covered by work of the host", HTML_COLUMN_NUMBER, 1},
        {"Sync %", "covered by synchronisation or copies", HTML_COLUMN_NUMBER, 1},
        {"Comm %", "covered by communication or waits for it", HTML_COLUMN_NUMBER, 1},
        {"Confidence", NULL, HTML_COLUMN_TEXT, 0},
    };
    struct html_table table;

    if (analysis->cause_count == 0) {
        html_element(page, "p", "soft", "No gap is long enough to be examined.");
        return;
    }
    html_table_begin(&table, page, id, columns, COUNT(columns));
    for (size_t i = 0; i < analysis->cause_count; i++) {
        const struct cause *cause = &analysis->causes[i];
        char *group = cause->group == CAUSE_GLOBAL
                          ? xstrdup("all groups")
                          : xasprintf("group_%ld", cause->group);

        html_table_row(&table);
        html_table_text(&table, label_name(cause->label));
        html_table_text(&table, group);
        put_share(&table, cause->share, true);
        html_table_number(&table, ns_to_ms(cause->total));
        put_share(&table, cause->host_mean, analysis->input->has_trace);
        put_share(&table, cause->sync_mean, analysis->input->has_trace);
        put_share(&table, cause->comm_mean, analysis->input->has_trace);
        html_table_text(&table, confidence_name(cause->confidence));
        free(group);
    }
    html_table_end(&table);
}

void report_page_groups(struct text *page,
                        const struct analysis *analysis,
                        const char *id)
{
    static const struct html_column columns[] = {
        {"Group", "steps with the same kernels", HTML_COLUMN_TEXT, 0},
        {"Steps", NULL, HTML_COLUMN_NUMBER, 0},
        {"Service ms", "average", HTML_COLUMN_NUMBER, 3},
        {"p95 ms", "of the service time", HTML_COLUMN_NUMBER, 3},
        {"Busy ms", "average", HTML_COLUMN_NUMBER, 3},
        {"Idle %", "average", HTML_COLUMN_NUMBER, 1},
        {"Prelaunch ms", "before the first kernel, average", HTML_COLUMN_NUMBER, 3},
        {"Internal ms", "between kernels, average", HTML_COLUMN_NUMBER, 3},
        {"Tail ms", "after the last kernel, average", HTML_COLUMN_NUMBER, 3},
        {"Pattern", "where most idle time is", HTML_COLUMN_TEXT, 0},
        {"Recurs", "examined gaps at a stable position", HTML_COLUMN_TEXT, 0},
        {"Severity", NULL, HTML_COLUMN_TEXT, 0},
        {"Tags", NULL, HTML_COLUMN_LONG_TEXT, 0},
    };
    struct html_table table;
    struct text text = {0};

    html_table_begin(&table, page, id, columns, COUNT(columns));
    for (size_t i = 0; i < analysis->group_count; i++) {
        const struct step_group *group = &analysis->groups[i];
        const struct group_statistics *metrics = group->metrics;

        html_table_row(&table);
        text_reset(&text);
        text_printf(&text, "group_%zu", i);
        html_table_text(&table, text_get(&text));
        html_table_number(&table, (double)group->count);
        html_table_number(&table, metrics[METRIC_SERVICE].average);
        html_table_number(&table, metrics[METRIC_SERVICE].p95);
        html_table_number(&table, metrics[METRIC_BUSY].average);
        html_table_number(&table, 100 * metrics[METRIC_UNDERFEED_RATIO].average);
        html_table_number(&table, metrics[METRIC_PRELAUNCH].average);
        html_table_number(&table, metrics[METRIC_INTERNAL].average);
        html_table_number(&table, metrics[METRIC_TAIL].average);
        html_table_text(&table, idle_pattern_name(group->idle));
        html_table_text(&table, group->count < 2                  ? "single step"
                                : group->is_recurring_significant ? "yes"
                                                                  : "no");
        html_table_text(&table, severity_name(group->severity));
        text_reset(&text);
        gap_text_tags(&text, group->tags, ", ");
        html_table_text(&table, text_get(&text));
    }
    html_table_end(&table);
    text_clear(&text);
}

static void put_clocks(struct html_table *table,
                       const struct analysis *analysis,
                       const char *name,
                       const struct kernel_clocks *clocks)
{
    char words[64];

    block_side_interpret(clocks, words);
    html_table_row(table);
    html_table_text(table, name);
    html_table_number(table, (double)clocks->count);
    html_table_number(table, ns_to_ms(clocks->wall));
    html_table_number(table, ns_to_ms(clocks->busy));
    html_table_number(table, ns_to_ms(clocks->kernel_sum));
    html_table_number(table, ns_to_ms(clocks->total_cost));
    html_table_text(table, names_text(analysis->input->names, clocks->unit));
    html_table_text(table, words);
}

/* The main compute stream, and what runs beside it. */
static void write_clocks(struct text *page,
                         const struct analysis *analysis,
                         const struct step *step,
                         const char *id)
{
    static const struct html_column columns[] = {
        {"Kernels", "block: the main compute stream; side: the others",
         HTML_COLUMN_TEXT, 0},
        {"Count", NULL, HTML_COLUMN_NUMBER, 0},
        {"Wall ms", "from the first start to the last end", HTML_COLUMN_NUMBER, 3},
        {"Busy ms", "at least one kernel runs", HTML_COLUMN_NUMBER, 3},
        {"Sum ms", "durations of all kernels", HTML_COLUMN_NUMBER, 3},
        {"Cost ms", "durations and waits of all kernels", HTML_COLUMN_NUMBER, 3},
        {"Most time on", NULL, HTML_COLUMN_TEXT, 0},
        {"Reading", NULL, HTML_COLUMN_TEXT, 0},
    };
    struct block_side sides;
    struct html_table table;

    block_side_measure(&sides, &analysis->input->kernels, step->structures.kernels,
                       step->structures.kernel_count, step->main_stream);
    html_table_begin(&table, page, id, columns, COUNT(columns));
    put_clocks(&table, analysis, "block", &sides.block);
    put_clocks(&table, analysis, "side", &sides.side);
    html_table_end(&table);
    if (!isnan(sides.comm_overlap))
        html_element(page, "p", "soft",
                     "The block covers %.1f %% of the communication.",
                     100 * sides.comm_overlap);
}

static void write_parts(struct text *page,
                        const struct analysis *analysis,
                        const struct step *step,
                        const char *id)
{
    static const struct html_column columns[] = {
        {"Part", NULL, HTML_COLUMN_TEXT, 0},
        {"Start ms", "after the start of the step", HTML_COLUMN_NUMBER, 3},
        {"Kernels", NULL, HTML_COLUMN_NUMBER, 0},
        {"Wall ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Busy ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Idle inside ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Idle before ms", "after the part before", HTML_COLUMN_NUMBER, 3},
        {"Cost ms", "durations and waits of its kernels", HTML_COLUMN_NUMBER, 3},
        {"Step %", "wall time, of the service time of the step", HTML_COLUMN_NUMBER, 1},
    };
    struct html_table table;
    struct text name = {0};

    html_table_begin(&table, page, id, columns, COUNT(columns));
    for (size_t i = 0; i < step->structures.count; i++) {
        const struct structure *row = &step->structures.rows[i];
        int64_t wall = row->end - row->start;

        text_reset(&name);
        gap_text_structure(&name, row);
        html_table_row(&table);
        html_table_text(&table, text_get(&name));
        html_table_number(&table, ns_to_ms(row->start - step->window.start));
        html_table_number(&table, (double)row->count);
        html_table_number(&table, ns_to_ms(wall));
        html_table_number(&table, ns_to_ms(row->busy));
        html_table_number(&table, ns_to_ms(wall - row->busy));
        html_table_number(&table, ns_to_ms(part_gap_before(analysis, step, i)));
        html_table_number(&table, ns_to_ms(row->total_cost));
        put_share(&table, (double)wall / (double)step->bubbles.service,
                  step->bubbles.service > 0);
    }
    html_table_end(&table);
    text_clear(&name);
}

void report_page_parts(struct text *page,
                       const struct analysis *analysis,
                       const char *id)
{
    const struct step *step = &analysis->steps[analysis->groups[0].steps[0]];
    char *clocks = xasprintf("%s-clocks", id);

    html_element(page, "p", "soft", "Step %s, divided by: %s.",
                 names_text(analysis->input->names, step->window.name),
                 structure_method_name(step->structures.method));
    write_parts(page, analysis, step, id);
    write_clocks(page, analysis, step, clocks);
    free(clocks);
}
