#include "parsers/anomaly_report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/anomaly_report/gap_text.h"
#include "parsers/anomaly_report/report_page_parts.h"

enum { STEPS_DRAWN = 20, LANES = 3, PIXELS = 2000 };

static void add_span(struct html_lane *lane, double start, double end, char *tip)
{
    lane->spans = xreallocarray(lane->spans, lane->count + 1, sizeof(*lane->spans));
    lane->spans[lane->count++] = (struct html_span){start, end, tip};
}

/* Adds the part of the set inside the step. Pieces nearer than a pixel become one. */
static void add_busy(struct html_lane *lane,
                     const struct intervals *set,
                     const struct step_window *window)
{
    double pixel = ns_to_ms(window->end - window->start) / PIXELS;

    for (size_t i = intervals_first_after(set, window->start);
         i < set->count && set->items[i].start < window->end; i++) {
        int64_t from = set->items[i].start, to = set->items[i].end;
        double start =
            ns_to_ms((from > window->start ? from : window->start) - window->start);
        double end = ns_to_ms((to < window->end ? to : window->end) - window->start);

        if (lane->count > 0 && start - lane->spans[lane->count - 1].end < pixel)
            lane->spans[lane->count - 1].end = end;
        else
            add_span(lane, start, end, NULL);
    }
}

static void add_gaps(struct html_lane *lane,
                     const struct analysis *analysis,
                     const struct step *step)
{
    for (size_t i = 0; i < step->gap_count; i++) {
        const struct gap *gap = &analysis->gaps[step->first_gap + i];
        struct text tip = {0};

        gap_text_id(&tip, analysis, gap);
        text_printf(&tip, ": %.3f ms, %s\n", ns_to_ms(gap->end - gap->start),
                    gap_scope(gap));
        gap_text_labels(&tip, gap->labels, ", ");
        text_add(&tip, "\nbefore: ");
        gap_text_neighbour(&tip, analysis, gap, true);
        text_add(&tip, "\nafter: ");
        gap_text_neighbour(&tip, analysis, gap, false);
        add_span(lane, ns_to_ms(gap->start - step->window.start),
                 ns_to_ms(gap->end - step->window.start), text_take(&tip));
    }
}

static void
draw_step(struct text *page, const struct analysis *analysis, const struct step *step)
{
    struct html_lane lanes[LANES] = {{.name = "computation"},
                                     {.name = "communication"},
                                     {.name = "idle", .is_gap = true}};
    char *label =
        xasprintf("Step %s", names_text(analysis->input->names, step->window.name));

    add_busy(&lanes[0], &analysis->busy.compute, &step->window);
    add_busy(&lanes[1], &analysis->busy.comm, &step->window);
    add_gaps(&lanes[2], analysis, step);
    html_element(page, "h3", "", "%s: %.3f ms, %.1f %% idle", label,
                 ns_to_ms(step->bubbles.service),
                 100 * bubbles_underfeed_ratio(&step->bubbles));
    html_plot_lanes(page, &(struct html_lanes){.label = label,
                                               .unit = "ms",
                                               .decimals = 3,
                                               .end = ns_to_ms(step->bubbles.service),
                                               .lanes = lanes,
                                               .lane_count = LANES});
    for (size_t i = 0; i < LANES; i++) {
        for (size_t j = 0; j < lanes[i].count; j++)
            free((char *)lanes[i].spans[j].tip);
        free(lanes[i].spans);
    }
    free(label);
}

static void write_tiles(struct text *page, const struct analysis *analysis)
{
    const struct step_group *group = &analysis->groups[0];
    const struct {
        char *value;
        const char *description;
    } tiles[] = {
        {xasprintf("%.1f %%", 100 * group->metrics[METRIC_UNDERFEED_RATIO].average),
         "of the service time of a step is idle"},
        {xasprintf("%.3f ms", group->metrics[METRIC_SERVICE].average), "service time"},
        {xasprintf("%zu", analysis->step_count), "steps"},
        {xasprintf("%zu", analysis->input->kernels.count), "kernels"},
        {xasprintf("%zu", analysis->gap_count), "gaps examined"},
        {xstrdup(confidence_name(analysis->confidence)), "confidence"},
    };

    html_tiles_begin(page);
    for (size_t i = 0; i < COUNT(tiles); i++) {
        html_tile(page, tiles[i].value, tiles[i].description);
        free(tiles[i].value);
    }
    html_tiles_end(page);
}

static void
write_gaps(struct text *page, const struct analysis *analysis, const char *id)
{
    static const struct html_column columns[] = {
        {"Gap", NULL, HTML_COLUMN_TEXT, 0},
        {"Step", NULL, HTML_COLUMN_TEXT, 0},
        {"Where", NULL, HTML_COLUMN_TEXT, 0},
        {"Start ms", "after the start of the step", HTML_COLUMN_NUMBER, 3},
        {"Duration ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Host %", "covered by work of the host", HTML_COLUMN_NUMBER, 1},
        {"Sync %", "covered by synchronisation or copies", HTML_COLUMN_NUMBER, 1},
        {"Comm %", "covered by communication or waits for it", HTML_COLUMN_NUMBER, 1},
        {"Possible causes", NULL, HTML_COLUMN_LONG_TEXT, 0},
        {"Kernel before", NULL, HTML_COLUMN_LONG_TEXT, 0},
        {"Kernel after", NULL, HTML_COLUMN_LONG_TEXT, 0},
    };
    struct html_table table;
    struct text text = {0};

    html_table_begin(&table, page, id, columns, COUNT(columns));
    html_table_sort_by(&table, 4, true);
    for (size_t i = 0; i < analysis->gap_count; i++) {
        const struct gap *gap = &analysis->gaps[i];
        const struct step *step = &analysis->steps[gap->step];

        html_table_row(&table);
        text_reset(&text);
        gap_text_id(&text, analysis, gap);
        html_table_text(&table, text_get(&text));
        html_table_text(&table, names_text(analysis->input->names, step->window.name));
        html_table_text(&table, gap_scope(gap));
        html_table_number(&table, ns_to_ms(gap->start - step->window.start));
        html_table_number(&table, ns_to_ms(gap->end - gap->start));
        html_table_number(&table, 100 * gap->share.host);
        html_table_number(&table, 100 * gap->share.sync);
        html_table_number(&table, 100 * gap->share.comm);
        text_reset(&text);
        gap_text_labels(&text, gap->labels, ", ");
        html_table_text(&table, text_get(&text));
        for (int before = 1; before >= 0; before--) {
            html_table_text(&table, gap_text_neighbour_name(analysis, gap, before));
        }
    }
    html_table_end(&table);
    text_clear(&text);
}

static void
write_ops(struct text *page, const struct analysis *analysis, const char *id)
{
    static const struct html_column columns[] = {
        {"Operator", NULL, HTML_COLUMN_TEXT, 0},
        {"Unit", NULL, HTML_COLUMN_TEXT, 0},
        {"Step", NULL, HTML_COLUMN_TEXT, 0},
        {"Calls", NULL, HTML_COLUMN_NUMBER, 0},
        {"Duration us", "average of a call", HTML_COLUMN_NUMBER, 3},
        {"Wait us", "average gap before a call", HTML_COLUMN_NUMBER, 3},
        {"Total us", "duration of all calls", HTML_COLUMN_NUMBER, 3},
        {"Cost rank", "by duration and wait of all calls", HTML_COLUMN_NUMBER, 0},
        {"Note", NULL, HTML_COLUMN_LONG_TEXT, 0},
    };
    struct html_table table;

    html_table_begin(&table, page, id, columns, COUNT(columns));
    html_table_sort_by(&table, 6, true);
    for (size_t i = 0; i < analysis->step_count && i < STEPS_DRAWN; i++)
        for (size_t j = 0; j < analysis->steps[i].ops.count; j++) {
            const struct op *op = &analysis->steps[i].ops.rows[j];
            const struct names *names = analysis->input->names;

            html_table_row(&table);
            html_table_text(&table, names_text(names, op->name));
            html_table_text(&table, names_text(names, op->unit));
            html_table_text(&table, names_text(names, analysis->steps[i].window.name));
            html_table_number(&table, (double)op->calls);
            html_table_number(&table, (double)op->duration / (double)op->calls / 1000);
            html_table_number(&table, (double)op->wait / (double)op->calls / 1000);
            html_table_number(&table, (double)op->duration / 1000);
            html_table_number(&table, (double)op->total_rank);
            html_table_text(&table, op->is_anchor     ? "cost is only the gap before it"
                                    : op->is_polluted ? "its wait lies in communication"
                                                      : aicpu_class_name(op->aicpu));
        }
    html_table_end(&table);
}

static void write_lines(struct text *page, const struct text *lines)
{
    const char *at = text_get(lines);

    html_list_begin(page);
    while (*at) {
        size_t length = strcspn(at, "\n");

        html_list_item(page, "soft", "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
    html_list_end(page);
}

static void write_advice(struct text *page, const struct analysis *analysis)
{
    html_list_begin(page);
    for (size_t i = 0; i < analysis->recommendation_count; i++) {
        const struct recommendation *row = &analysis->recommendations[i];

        html_list_item(page, "", "P%u, %s%s%s: %s", row->priority, row->scope,
                       row->target[0] ? " " : "", row->target, row->text);
    }
    if (analysis->recommendation_count == 0)
        html_list_item(page, "", "No advice.");
    html_list_end(page);
}

static void
write_section(struct text *page,
              const struct analysis *analysis,
              const char *name,
              const char *heading,
              bool open,
              void (*write)(struct text *, const struct analysis *, const char *))
{
    char *id = xasprintf("%s-%lld", name, (long long)analysis->input->rank);
    char *table = xasprintf("%s-table", id);

    html_section_begin(page, id, heading, open);
    write(page, analysis, table);
    html_section_end(page);
    free(id);
    free(table);
}

static void
write_overview(struct text *page, const struct analysis *analysis, const char *id)
{
    const struct step_group *group = &analysis->groups[0];
    struct text tags = {0};

    (void)id;
    gap_text_tags(&tags, group->tags, ", ");
    write_tiles(page, analysis);
    html_element(page, "p",
                 group->severity >= SEVERITY_MEDIUM ? "verdict bad"
                 : group->severity == SEVERITY_LOW  ? "verdict warn"
                                                    : "verdict good",
                 "Idle time: severity %s", severity_name(group->severity));
    html_element(page, "p", "soft", "%s", text_get(&tags));
    for (size_t i = 0; i < analysis->step_count && i < STEPS_DRAWN; i++)
        draw_step(page, analysis, &analysis->steps[i]);
    if (analysis->step_count > STEPS_DRAWN)
        html_element(page, "p", "soft", "%zu more steps are not drawn.",
                     analysis->step_count - STEPS_DRAWN);
    text_clear(&tags);
}

static void
write_limits(struct text *page, const struct analysis *analysis, const char *id)
{
    (void)id;
    write_advice(page, analysis);
    write_lines(page, &analysis->input->limitations);
}

void report_page_write_rank(struct text *page, const struct analysis *analysis)
{
    char *id = xasprintf("rank-%lld", (long long)analysis->input->rank);
    char *heading = xasprintf("Rank %lld", (long long)analysis->input->rank);

    html_section_begin(page, id, heading, true);
    write_section(page, analysis, "steps", "Steps", true, write_overview);
    write_section(page, analysis, "causes", "Possible causes", true,
                  report_page_causes);
    write_section(page, analysis, "groups", "Groups of steps", true,
                  report_page_groups);
    write_section(page, analysis, "gaps", "Gaps", true, write_gaps);
    write_section(page, analysis, "parts", "Layers and other parts", true,
                  report_page_parts);
    write_section(page, analysis, "operators", "Operators", false, write_ops);
    write_section(page, analysis, "advice", "Advice and limits", true, write_limits);
    html_section_end(page);
    free(id);
    free(heading);
}
