#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/reports/html_names.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

/* Returns the change of each work on each card in per cent, row by row; NaN: not
 * measured there. The caller frees it. */
static double *make_changes(const struct report *report, size_t works, size_t cards)
{
    size_t count;
    const struct report_series *series = report_series(report, &count);
    double *changes = xcalloc(works * cards + 1, sizeof(*changes));

    for (size_t i = 0; i < works * cards; i++)
        changes[i] = NAN;
    for (size_t i = 0; i < count; i++)
        changes[series[i].work * cards + series[i].card] = (series[i].ratio - 1) * 100;
    return changes;
}

/* Returns the change that gets the strongest colour: 99 of 100 changes are weaker, so
 * that one failure of a card does not hide the others. At least 1 %: a smaller range
 * would only show noise. */
static double full_change(const double *changes, size_t count)
{
    double *sizes = xcalloc(count + 1, sizeof(*sizes));
    size_t known = 0;
    double full = 1;

    for (size_t i = 0; i < count; i++)
        if (isfinite(changes[i]))
            sizes[known++] = fabs(changes[i]);
    if (known > 0)
        full = fmax(full, stats_quantile(sizes, known, 0.99));
    free(sizes);
    return ceil(full);
}

static void add_heat_map(const struct report *report, struct text *page)
{
    size_t works, cards;
    report_works(report, &works);
    report_cards(report, &cards);
    char **work_names = report_work_names(report);
    char **card_names = report_card_names(report);
    double *changes = make_changes(report, works, cards);

    html_element(page, "p", "soft",
                 "Each field: median duration of a kernel and shape on a card against "
                 "the median of all cards. Positive is slower.");
    html_plot_heat(page,
                   &(struct html_heat){.id = "card-heat",
                                       .label = "durations by shape and card",
                                       .colors = HTML_HEAT_CHANGE,
                                       .unit = "%",
                                       .decimals = 2,
                                       .full = full_change(changes, works * cards),
                                       .rows = (const char *const *)work_names,
                                       .row_count = works,
                                       .columns = (const char *const *)card_names,
                                       .column_count = cards,
                                       .values = changes});
    free(changes);
    report_names_free(work_names, works);
    report_names_free(card_names, cards);
}

static const struct html_column columns[] = {
    {"host", NULL, HTML_COLUMN_TEXT, 0},
    {"card", NULL, HTML_COLUMN_NUMBER, 0},
    {"model", NULL, HTML_COLUMN_TEXT, 0},
    {"serial number", NULL, HTML_COLUMN_TEXT, 0},
    {"kernels and shapes", "with a duration on this card", HTML_COLUMN_NUMBER, 0},
    {"against all cards, %",
     "geometric mean over the kernels and shapes; positive is slower",
     HTML_COLUMN_CHANGE, 2},
};

void report_html_cards(const struct report *report, struct text *page)
{
    size_t count, series;
    const struct report_card *card = report_cards(report, &count);
    struct html_table table;

    report_series(report, &series);
    if (series == 0)
        return;
    html_section_begin(page, "cards", "Cards", true);
    if (count > 1)
        add_heat_map(report, page);
    html_table_begin(&table, page, "card-table", columns, COUNT(columns));
    for (size_t i = 0; i < count; i++, card++) {
        html_table_row(&table);
        html_table_text(&table, card->host);
        html_table_number(&table, (double)card->card);
        html_table_text(&table, card->model);
        html_table_text(&table, card->serial);
        html_table_number(&table, (double)card->series_count);
        html_table_number(&table, (card->ratio - 1) * 100);
    }
    html_table_end(&table);
    html_section_end(page);
}
