#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/metrics/bandwidth_limits.h"
#include "parsers/reports/html_names.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

/* The measures of a group of which any work has a value. */
struct shown {
    size_t measures[REPORT_MEASURES];
    size_t count;
};

static struct shown find_shown(const struct report *report, enum report_group group)
{
    struct shown shown = {.count = 0};
    size_t count;
    const struct report_work *works = report_works(report, &count);

    for (size_t i = 0; i < REPORT_MEASURES; i++) {
        bool known = false;

        for (size_t j = 0; j < count && !known; j++)
            known = isfinite(works[j].measures[i]);
        if (known && report_measures[i].group == group)
            shown.measures[shown.count++] = i;
    }
    return shown;
}

static void add_pipes(const struct report *report, struct text *page)
{
    const struct shown shown = find_shown(report, REPORT_GROUP_PIPES);
    const char *columns[REPORT_MEASURES];
    size_t count;
    const struct report_work *works = report_works(report, &count);
    double *values;
    char **names;

    if (shown.count == 0)
        return;
    html_section_begin(page, "pipes", "Use of the pipes", true);
    html_element(page, "p", "soft",
                 "Share of the cycles in which a pipe of the cube or vector cores is "
                 "active; medians over cards and repeats.");
    names = report_work_names(report);
    values = xcalloc(count * shown.count + 1, sizeof(*values));
    for (size_t i = 0; i < shown.count; i++)
        columns[i] = report_measures[shown.measures[i]].name;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < shown.count; j++)
            values[i * shown.count + j] = works[i].measures[shown.measures[j]];
    html_plot_heat(page, &(struct html_heat){.id = "pipe-heat",
                                             .label = "use of the pipes by shape",
                                             .colors = HTML_HEAT_SHARE,
                                             .unit = "%",
                                             .decimals = 1,
                                             .full = 100,
                                             .rows = (const char *const *)names,
                                             .row_count = count,
                                             .columns = columns,
                                             .column_count = shown.count,
                                             .values = values});
    free(values);
    report_names_free(names, count);
    html_section_end(page);
}

/* Adds a row for each work with a column for each measure that any of them has. */
static void add_table(const struct report *report,
                      enum report_group group,
                      const char *id,
                      const char *heading,
                      struct text *page)
{
    const struct shown shown = find_shown(report, group);
    struct html_column columns[REPORT_MEASURES + 2] = {
        {"kernel and shape", NULL, HTML_COLUMN_TEXT, 0},
        {"origin", "measured on a card, or simulated", HTML_COLUMN_WORD, 0},
    };
    size_t count;
    const struct report_work *works = report_works(report, &count);
    struct html_table table;
    char **names;

    if (shown.count == 0)
        return;
    for (size_t i = 0; i < shown.count; i++) {
        const struct report_measure_row *row = &report_measures[shown.measures[i]];

        columns[i + 2] = (struct html_column){row->name, row->metric,
                                              HTML_COLUMN_NUMBER, row->decimals};
    }
    names = report_work_names(report);
    html_section_begin(page, id, heading, true);
    html_element(page, "p", "soft", "Medians over cards and repeats.");
    html_table_begin(&table, page, NULL, columns, shown.count + 2);
    for (size_t i = 0; i < count; i++) {
        html_table_row(&table);
        html_table_text(&table, names[i]);
        html_table_text(&table, works[i].simulated ? "simulated" : "measured");
        for (size_t j = 0; j < shown.count; j++)
            html_table_number(&table, works[i].measures[shown.measures[j]]);
    }
    html_table_end(&table);
    html_section_end(page);
    report_names_free(names, count);
}

/* Points of the roofline: simulated and measured ones apart. */
struct roofline {
    double *x, *y;
    const char **tips;
    size_t count;
};

static double known_or_zero(double value)
{
    return isfinite(value) ? value : 0;
}

/* Computes operations per byte of main memory and operations per second. Returns false
 * when one of them was not measured. */
static bool find_point(const struct report_work *work, double *x, double *y)
{
    const double *measures = work->measures;
    double operations = known_or_zero(measures[MEASURE_CUBE_OPERATIONS]) +
                        known_or_zero(measures[MEASURE_VECTOR_OPERATIONS]);
    double bytes = (known_or_zero(measures[MEASURE_READ_KIB]) +
                    known_or_zero(measures[MEASURE_WRITTEN_KIB])) *
                   1024 * 1024; /* the report shows them in MiB */

    if (operations <= 0 || bytes <= 0 || !(work->median_us > 0))
        return false;
    *x = operations / bytes;
    *y = operations / work->median_us * 1e6;
    return true;
}

static struct roofline
make_roofline(const struct report *report, char **names, bool simulated)
{
    size_t count;
    const struct report_work *works = report_works(report, &count);
    struct roofline out = {.x = xcalloc(count + 1, sizeof(double)),
                           .y = xcalloc(count + 1, sizeof(double)),
                           .tips = xcalloc(count + 1, sizeof(char *))};

    for (size_t i = 0; i < count; i++) {
        double *x = &out.x[out.count], *y = &out.y[out.count];

        if (works[i].simulated != simulated || !find_point(&works[i], x, y))
            continue;
        out.tips[out.count] =
            xasprintf("%s\n%.3g operations per byte\n%.4g operations per second",
                      names[i], *x, *y);
        out.count++;
    }
    return out;
}

static void roofline_clear(struct roofline *roofline)
{
    for (size_t i = 0; i < roofline->count; i++)
        free((char *)roofline->tips[i]);
    free(roofline->tips);
    free(roofline->x);
    free(roofline->y);
}

/* Makes the line of the bandwidth of main memory through the range of all points. */
static struct html_series
make_roof(const struct roofline parts[2], const char *model, double x[2], double y[2])
{
    double bandwidth = bandwidth_limits_of_memory(model, 0, false).gm * 1e12;
    double least = INFINITY, most = 0;

    for (size_t part = 0; part < 2; part++)
        for (size_t i = 0; i < parts[part].count; i++) {
            least = fmin(least, parts[part].x[i]);
            most = fmax(most, parts[part].y[i]);
        }
    x[0] = least / 2;
    y[0] = x[0] * bandwidth;
    y[1] = fmax(most, y[0]) * 2;
    x[1] = y[1] / bandwidth;
    return (struct html_series){.name = "bandwidth of main memory",
                                .x = x,
                                .y = y,
                                .count = bandwidth > 0 ? 2 : 0,
                                .has_line = true,
                                .is_soft = true};
}

static void add_roofline(const struct report *report, struct text *page)
{
    char **names = report_work_names(report);
    struct roofline parts[2] = {make_roofline(report, names, false),
                                make_roofline(report, names, true)};
    size_t works, cards;
    const struct report_card *card = report_cards(report, &cards);
    double x[2], y[2];

    report_works(report, &works);
    if (parts[0].count + parts[1].count > 0) {
        struct html_series series[3];
        size_t count = 0;

        for (size_t i = 0; i < 2; i++)
            if (parts[i].count > 0)
                series[count++] =
                    (struct html_series){.name = i ? "simulated" : "measured",
                                         .x = parts[i].x,
                                         .y = parts[i].y,
                                         .tips = parts[i].tips,
                                         .count = parts[i].count,
                                         .has_points = true,
                                         .is_hollow = i == 1};
        series[count++] = make_roof(parts, card->model, x, y);
        html_section_begin(page, "roofline", "Roofline", true);
        html_element(page, "p", "soft",
                     "Operations of the cube and vector cores against the traffic of "
                     "main memory; a point for each kernel and shape. The grey line is "
                     "the bandwidth of main memory%s. Hollow points are simulated.",
                     series[count - 1].count ? "" : ", which is unknown for this chip");
        html_plot_xy(page,
                     &(struct html_xy){
                         .id = "roofline-plot",
                         .label = "roofline of all kernels and shapes",
                         .x = {"operations per byte of main memory", HTML_SCALE_LOG},
                         .y = {"operations per second", HTML_SCALE_LOG},
                         .series = series,
                         .series_count = count});
        html_section_end(page);
    }
    roofline_clear(&parts[0]);
    roofline_clear(&parts[1]);
    report_names_free(names, works);
}

void report_html_usage(const struct report *report, struct text *page)
{
    add_pipes(report, page);
    add_table(report, REPORT_GROUP_MEMORY, "memory", "Memory, L2 cache, clock", page);
    add_roofline(report, page);
    add_table(report, REPORT_GROUP_STEP, "step", "Synchronisation of the ranks", page);
}
