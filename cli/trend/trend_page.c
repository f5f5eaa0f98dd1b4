#include "cli/trend/trend_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/trend/trend_rows.h"
#include "cli/trend/trend_sentences.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"

enum { SENTENCES_MOST = 20 };
enum { PLOTS_MOST = 200 }; /* series with changes come first; the table has all */

static const double ns_per_ms = 1e6;

static const struct html_column columns[] = {
    {"series", "point, kernel and rank, or card", HTML_COLUMN_TEXT, 0},
    {"metric", NULL, HTML_COLUMN_TEXT, 0},
    {"nights", "nights with a value", HTML_COLUMN_NUMBER, 0},
    {"level", "median since the last change", HTML_COLUMN_NUMBER, 3},
    {"unit", NULL, HTML_COLUMN_TEXT, 0},
    {"noise %", "of a single night", HTML_COLUMN_NUMBER, 2},
    {"last change %", NULL, HTML_COLUMN_CHANGE, 2},
    {"changes", NULL, HTML_COLUMN_TEXT, 0},
    {"spikes", NULL, HTML_COLUMN_TEXT, 0},
    {"drift %", "over the last level", HTML_COLUMN_CHANGE, 2},
    {"from the anchor %", "the last nights", HTML_COLUMN_CHANGE, 2},
};

/* The caller frees the name. */
static char *name_of(const struct night_trend *row)
{
    struct text name = {0};

    text_add(&name, "");
    if (row->point[0])
        text_add(&name, row->point);
    if (row->kernel[0])
        text_printf(&name, "%s%s", text_get(&name)[0] ? " " : "", row->kernel);
    if (row->rank && row->rank != FIGURE_OF_ALL_RANKS)
        text_printf(&name, " rank %llu", (unsigned long long)row->rank);
    if (row->card[0])
        text_printf(&name, "%scard %s", text_get(&name)[0] ? " " : "", row->card);
    return text_take(&name);
}

static void add_table_row(struct html_table *table,
                          const struct night_trend *row,
                          const struct trend_nights *nights)
{
    const struct trend *trend = &row->trend;
    struct text changes = {0}, spikes = {0};
    char *name = name_of(row);

    text_add(&changes, "");
    text_add(&spikes, "");
    trend_rows_add_changes(&changes, row, nights);
    trend_rows_add_spikes(&spikes, row, nights);
    html_table_row(table);
    html_table_text(table, name);
    html_table_text(table, row->metric);
    html_table_number(table, (double)row->value_count);
    html_table_number(table, row->level);
    html_table_text(table, row->unit);
    html_table_number(table,
                      trend->nights < TREND_FEWEST ? NAN : 100 * expm1(trend->sigma));
    html_table_number(
        table, trend->boundary_count
                   ? 100 * expm1(trend->boundaries[trend->boundary_count - 1].change)
                   : NAN);
    html_table_text(table, text_get(&changes));
    html_table_text(table, text_get(&spikes));
    html_table_number(table, trend->drifts ? 100 * expm1(trend->drift) : NAN);
    html_table_number(table,
                      row->anchor.is_compared ? 100 * expm1(row->anchor.change) : NAN);
    text_clear(&changes);
    text_clear(&spikes);
    free(name);
}

static void add_table(struct text *page,
                      const struct night_trends *trends,
                      const struct trend_nights *nights)
{
    struct html_table table;

    html_table_begin(&table, page, "series", columns, COUNT(columns));
    for (size_t i = 0; i < night_trends_count(trends); i++)
        add_table_row(&table, night_trends_row(trends, i), nights);
    html_table_end(&table);
}

/* Marks the nights at which a level begins, and those at which an environment changed.
 * Sets their number. The caller frees the array; the names are those of the nights. */
static struct html_mark *marks_of(const struct night_trend *row,
                                  const struct trend_nights *nights,
                                  const double *times,
                                  size_t *count)
{
    struct html_mark *marks =
        xcalloc(row->trend.boundary_count + nights->count, sizeof(*marks));

    for (size_t i = 0; i < row->trend.boundary_count; i++) {
        size_t night = row->trend.boundaries[i].night;

        marks[i] = (struct html_mark){
            .is_vertical = true, .at = times[night], .name = nights->nights[night].key};
    }
    *count = row->trend.boundary_count;
    for (size_t i = 0; i < nights->count; i++)
        if (nights->nights[i].environment_change)
            marks[(*count)++] = (struct html_mark){
                .is_vertical = true, .at = times[i], .name = "environment"};
    return marks;
}

static void add_plot(struct text *page,
                     const struct night_trend *row,
                     const struct trend_nights *nights,
                     const double *times,
                     const char *const *keys)
{
    char *name = name_of(row);
    char *axis = xasprintf("%s%s%s", row->metric, row->unit[0] ? " in " : "",
                           row->unit[0] ? row->unit : ", relative");
    size_t mark_count;
    struct html_mark *marks = marks_of(row, nights, times, &mark_count);
    const struct html_series series = {.name = name,
                                       .x = times,
                                       .y = row->values,
                                       .tips = keys,
                                       .count = nights->count,
                                       .has_line = true,
                                       .has_points = true};
    const struct html_xy plot = {.label = name,
                                 .x = {"end of the night", HTML_SCALE_TIME},
                                 .y = {axis, HTML_SCALE_LINEAR},
                                 .series = &series,
                                 .series_count = 1,
                                 .marks = marks,
                                 .mark_count = mark_count};
    struct text changes = {0};

    html_element(page, "h3", "", "%s", name);
    trend_rows_add_changes(&changes, row, nights);
    if (row->trend.boundary_count)
        html_element(page, "p", night_trend_last_change(row) > 0 ? "bad" : "good", "%s",
                     text_get(&changes));
    if (row->trend.drifts)
        html_element(page, "p", "warn", "drifts: %+.2f %% over the last level",
                     100 * expm1(row->trend.drift));
    if (night_trend_drifts_from_anchor(row))
        html_element(page, "p", "warn", "drifts: %+.2f %% from the anchor",
                     100 * expm1(row->anchor.change));
    html_plot_xy(page, &plot);
    text_clear(&changes);
    free(marks);
    free(axis);
    free(name);
}

static void add_plots(struct text *page,
                      const struct night_trends *trends,
                      const struct trend_nights *nights)
{
    size_t count = night_trends_count(trends);
    size_t plotted = count < PLOTS_MOST ? count : PLOTS_MOST;
    double *times = xreallocarray(NULL, nights->count, sizeof(*times));
    const char **keys = xcalloc(nights->count, sizeof(*keys));

    for (size_t i = 0; i < nights->count; i++) {
        times[i] = (double)nights->nights[i].ended_wall_ns / ns_per_ms;
        keys[i] = nights->nights[i].key;
    }
    if (plotted < count)
        html_element(page, "p", "note",
                     "Plots of the first %zu of %zu series; use --points or --cards to "
                     "choose others.",
                     plotted, count);
    for (size_t i = 0; i < plotted; i++)
        add_plot(page, night_trends_row(trends, i), nights, times, keys);
    free(times);
    free(keys);
}

static void add_verdict(struct text *page,
                        const struct night_trends *trends,
                        const struct trend_nights *nights)
{
    struct trend_sentences sentences;

    trend_sentences_init(&sentences, trends, nights, SENTENCES_MOST);
    if (sentences.total == 0)
        html_element(page, "p", "verdict good", "nothing became worse");
    else
        html_element(page, "p", "verdict bad", "%s", sentences.texts[0]);
    html_list_begin(page);
    for (size_t i = 1; i < sentences.count; i++)
        html_list_item(page, "", "%s", sentences.texts[i]);
    if (sentences.total > sentences.count)
        html_list_item(page, "", "%zu more series are worse",
                       sentences.total - sentences.count);
    html_list_end(page);
    trend_sentences_clear(&sentences);
}

int trend_page_write(const struct night_trends *trends,
                     const struct trend_nights *nights,
                     const char *folder,
                     struct err *err)
{
    struct text page = {0};
    char *title = xasprintf("%s: trend over %zu nights", nights->name, nights->count);
    char *path = xasprintf("%s/trend.html", folder);

    html_page_begin(&page, title);
    html_element(&page, "h1", "", "%s", title);
    if (night_trends_count(trends) > 0 && nights->count >= TREND_FEWEST)
        add_verdict(&page, trends, nights);
    if (night_trends_is_simulated(trends))
        html_simulated_note(&page);
    for (size_t i = 0; i < nights->count; i++)
        if (nights->nights[i].environment_change)
            html_element(&page, "p", "note", "Environment changed at %s: %s.",
                         nights->nights[i].key, nights->nights[i].environment_change);
    html_section_begin(&page, "all", "All series", true);
    add_table(&page, trends, nights);
    html_section_end(&page);
    html_section_begin(&page, "plots", "Plots", true);
    add_plots(&page, trends, nights);
    html_section_end(&page);
    html_page_end(&page);
    int result = folder_create(folder, err);
    if (result == 0)
        result = file_write(path, text_get(&page), page.length, err);
    text_clear(&page);
    free(title);
    free(path);
    return result;
}
