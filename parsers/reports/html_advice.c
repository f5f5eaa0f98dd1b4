#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

enum { COLUMN_POINT, COLUMNS = 4 };

static const struct html_column advice_columns[COLUMNS] = {
    [COLUMN_POINT] = {"point", NULL, HTML_COLUMN_TEXT, 0},
    {"kernel", NULL, HTML_COLUMN_TEXT, 0},
    {"launches", "of all ranks and repeats, with this advice", HTML_COLUMN_NUMBER, 0},
    {"advice", NULL, HTML_COLUMN_LONG_TEXT, 0},
};

static const struct html_column note_columns[COLUMNS] = {
    [COLUMN_POINT] = {"point", NULL, HTML_COLUMN_TEXT, 0},
    {"kernel", NULL, HTML_COLUMN_TEXT, 0},
    {"launches", "of all ranks and repeats, with this note", HTML_COLUMN_NUMBER, 0},
    {"note", NULL, HTML_COLUMN_LONG_TEXT, 0},
};

static void add_table(const struct report_advice *it,
                      size_t count,
                      const char *id,
                      const struct html_column *columns,
                      struct text *page)
{
    struct html_table table;

    html_table_begin(&table, page, id, columns, COLUMNS);
    html_table_fold_by(&table, COLUMN_POINT);
    for (; count; count--, it++) {
        html_table_row(&table);
        html_table_text(&table, it->point_text);
        html_table_text(&table, it->kernel);
        html_table_number(&table, (double)it->launches);
        html_table_text(&table, it->text);
    }
    html_table_end(&table);
    html_section_end(page);
}

void report_html_advice(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_advice *advice = report_advice(report, &count);

    if (count == 0)
        return;
    html_section_begin(page, "advice", "Advice", true);
    html_element(page, "p", "soft",
                 "What the counters of a launch suggest, as in its visualize_data.bin; "
                 "unfold a point to read it.");
    add_table(advice, count, "advice-table", advice_columns, page);
}

void report_html_notes(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_advice *notes = report_notes(report, &count);

    if (count == 0)
        return;
    html_section_begin(page, "notes", "Notes", true);
    html_element(page, "p", "soft",
                 "What to consider when you read the figures of a launch; unfold a "
                 "point to read it.");
    add_table(notes, count, "notes-table", note_columns, page);
}
