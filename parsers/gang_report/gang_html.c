#include "parsers/gang_report/gang_html.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/gang/gang_analysis.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"

enum { CURVES_MAX = 32 }; /* more lines cannot be distinguished */

static enum html_column_kind kind_of(const struct gang_column *column)
{
    if (column->kind == GANG_YES || strcmp(column->name, "verdict") == 0)
        return HTML_COLUMN_WORD;
    return column->kind == GANG_TEXT ? HTML_COLUMN_TEXT : HTML_COLUMN_NUMBER;
}

static void add_cell(struct html_table *out,
                     const struct gang_column *column,
                     const struct gang_cell *cell)
{
    if (column->kind == GANG_TEXT)
        html_table_text(out, cell->text);
    else if (column->kind == GANG_YES)
        html_table_text(out, cell->yes ? "yes" : "");
    else
        html_table_number(out, cell->number);
}

static void add_table(const struct gang_analysis *analysis,
                      const struct gang_table *table,
                      struct text *page)
{
    struct html_column *columns = xcalloc(table->column_count, sizeof(*columns));
    char *id = xasprintf("%s-table", analysis->name);
    struct html_table out;

    for (size_t i = 0; i < table->column_count; i++)
        columns[i] = (struct html_column){.name = table->columns[i].name,
                                          .tooltip = table->columns[i].tip,
                                          .kind = kind_of(&table->columns[i]),
                                          .decimals = table->columns[i].decimals};
    html_table_begin(&out, page, id, columns, table->column_count);
    for (size_t row = 0; row < table->row_count; row++) {
        html_table_row(&out);
        for (size_t i = 0; i < table->column_count; i++)
            add_cell(&out, &table->columns[i], gang_table_cell(table, row, i));
    }
    html_table_end(&out);
    free(columns);
    free(id);
}

static double number(const struct gang_table *table, size_t row, const char *column)
{
    return gang_table_cell(table, row, gang_table_find(table, column))->number;
}

static const char *series_of(const struct gang_table *table, size_t row)
{
    return gang_table_cell(table, row, gang_table_find(table, "series"))->text;
}

/* Plots one column over the number of ranks: the points of each series, and with
 * `model` the law as a line behind them. The rows of a series follow each other. */
static void
add_plot(const struct gang_table *table, const char *y_column, struct text *page)
{
    bool has_law = strcmp(y_column, "speedup") == 0;
    double *x = xcalloc(table->row_count, 3 * sizeof(*x));
    double *y = x + table->row_count, *model = y + table->row_count;
    struct html_series series[2 * CURVES_MAX];
    size_t count = 0;

    for (size_t row = 0, end; row < table->row_count && count + 1 < COUNT(series);
         row = end) {
        for (end = row; end < table->row_count &&
                        strcmp(series_of(table, end), series_of(table, row)) == 0;
             end++) {
            x[end] = number(table, end, "ranks");
            y[end] = number(table, end, y_column);
            model[end] = number(table, end, "predicted");
        }
        struct html_series one = {.name = *series_of(table, row) ? series_of(table, row)
                                                                 : "measured",
                                  .x = x + row,
                                  .y = y + row,
                                  .count = end - row,
                                  .has_line = !has_law,
                                  .has_points = true,
                                  .is_hollow = table->simulated};
        if (has_law)
            series[count++] = (struct html_series){.name = "law",
                                                   .x = x + row,
                                                   .y = model + row,
                                                   .count = end - row,
                                                   .has_line = true,
                                                   .is_soft = true};
        series[count++] = one;
    }
    html_plot_xy(
        page, &(struct html_xy){.id = "scaling-plot",
                                .label = has_law ? "speedup by number of ranks"
                                                 : "time by number of ranks",
                                .x = {"ranks", HTML_SCALE_LOG},
                                .y = {has_law ? "speedup" : "time, us", HTML_SCALE_LOG},
                                .series = series,
                                .series_count = count});
    free(x);
}

static bool has_law(const struct gang_table *table)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (!(number(table, row, "predicted") > 0))
            return false;
    return true;
}

static void add_analysis(const struct gang_analysis *analysis,
                         const struct gang_input *input,
                         struct text *page)
{
    struct gang_table table = gang_analysis_run(analysis, input);

    if (table.row_count > 0) {
        html_section_begin(page, analysis->name, analysis->title, true);
        html_element(page, "p", "soft", "%s", analysis->summary);
        if (analysis == &gang_scaling)
            add_plot(&table, has_law(&table) ? "speedup" : "time_us", page);
        add_table(analysis, &table, page);
        html_section_end(page);
    }
    gang_table_clear(&table);
}

void gang_html_write(const struct gang_figures *figures, struct text *page)
{
    struct gang_times times;

    gang_times_read(&times, figures);
    for (size_t i = 0; gang_analysis_at(i); i++)
        add_analysis(gang_analysis_at(i),
                     &(struct gang_input){.figures = figures, .times = &times}, page);
    gang_times_clear(&times);
}
