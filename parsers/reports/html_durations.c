#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/reports/html_names.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

enum { STRIP_ROWS_MAX = 300 };

/* Adds the values of a work over all cards and repeats, in per cent of their median. */
static void make_strip(struct html_strip *strip,
                       const struct report_work *work,
                       const struct report_series *series)
{
    double *values;
    size_t count = 0;

    for (size_t i = 0; i < work->series_count; i++)
        count += series[i].count;
    values = xcalloc(count + 1, sizeof(*values));
    strip->values = values;
    strip->count = count;
    for (size_t i = 0; i < work->series_count; i++)
        for (size_t j = 0; j < series[i].count; j++)
            *values++ = work->median_us > 0
                            ? (series[i].values_us[j] / work->median_us - 1) * 100
                            : 0;
}

static void add_strips(const struct report *report, struct text *page)
{
    size_t count, series_count, shown;
    const struct report_work *works = report_works(report, &count);
    const struct report_series *series = report_series(report, &series_count);
    char **names = report_work_names(report);
    struct html_strip *strips;
    char **notes;

    shown = count < STRIP_ROWS_MAX ? count : STRIP_ROWS_MAX;
    strips = xcalloc(shown + 1, sizeof(*strips));
    notes = xcalloc(shown + 1, sizeof(*notes));
    for (size_t i = 0; i < shown; i++) {
        make_strip(&strips[i], &works[i], series + works[i].first_series);
        notes[i] = xasprintf("%.2f us", works[i].median_us);
        strips[i].name = names[i];
        strips[i].note = notes[i];
    }
    html_element(page, "p", "soft",
                 "Deviation from the median over all cards and repeats, which is on "
                 "the right.%s",
                 shown < count ? " The first rows; the table below has all." : "");
    html_plot_strips(page, &(struct html_strips){.id = "distributions",
                                                 .label = "distribution of durations",
                                                 .unit = "%",
                                                 .decimals = 2,
                                                 .has_zero = true,
                                                 .rows = strips,
                                                 .row_count = shown});
    for (size_t i = 0; i < shown; i++)
        free((double *)strips[i].values);
    free(strips);
    report_names_free(notes, shown);
    report_names_free(names, count);
}

enum { COLUMN_WORK = 0 };

static const struct html_column columns[] = {
    {"kernel and shape", NULL, HTML_COLUMN_TEXT, 0},
    {"card", NULL, HTML_COLUMN_TEXT, 0},
    {"origin", "measured on a card, or simulated", HTML_COLUMN_WORD, 0},
    {"repeats", "each launch of each repeat", HTML_COLUMN_NUMBER, 0},
    {"values", "one dot for each launch; one scale for each kernel and shape",
     HTML_COLUMN_VALUES, 0},
    {"median, us", NULL, HTML_COLUMN_NUMBER, 3},
    {"against all cards, %", "positive is slower", HTML_COLUMN_CHANGE, 2},
    {"spread, %", "(max - min) / median", HTML_COLUMN_NUMBER, 2},
    {"data", "the launch nearest to the median", HTML_COLUMN_LINK, 0},
};

static void add_link(struct html_table *table, const char *path, const char *text)
{
    if (path)
        html_table_link(table, path, text);
    else
        html_table_none(table);
}

static void add_table(const struct report *report, struct text *page)
{
    size_t count, work_count, card_count;
    const struct report_series *series = report_series(report, &count);
    char **works = report_work_names(report), **cards = report_card_names(report);
    struct html_table table;

    report_works(report, &work_count);
    report_cards(report, &card_count);
    html_table_begin(&table, page, "durations-table", columns, COUNT(columns));
    if (card_count > 1)
        html_table_fold_by(&table, COLUMN_WORK);
    for (size_t i = 0; i < count; i++, series++) {
        html_table_row(&table);
        html_table_text(&table, works[series->work]);
        html_table_text(&table, cards[series->card]);
        html_table_text(&table, series->simulated ? "simulated" : "measured");
        html_table_number(&table, (double)series->count);
        html_table_values(&table, series->values_us, series->count);
        html_table_number(&table, series->median_us);
        html_table_number(&table, (series->ratio - 1) * 100);
        html_table_number(&table, series->spread * 100);
        add_link(&table, series->data_path, "visualize_data.bin");
    }
    html_table_end(&table);
    report_names_free(works, work_count);
    report_names_free(cards, card_count);
}

void report_html_durations(const struct report *report, struct text *page)
{
    size_t count;

    report_series(report, &count);
    html_section_begin(page, "durations", "Durations", true);
    if (count == 0) {
        html_element(page, "p", "", "No duration was measured.");
    } else {
        add_strips(report, page);
        add_table(report, page);
    }
    html_section_end(page);
}
