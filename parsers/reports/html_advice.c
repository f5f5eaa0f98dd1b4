#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

enum { COLUMN_POINT };

static const struct html_column columns[] = {
    [COLUMN_POINT] = {"point", NULL, HTML_COLUMN_TEXT, 0},
    {"kernel", NULL, HTML_COLUMN_TEXT, 0},
    {"launches", "of all ranks and repeats, with this advice", HTML_COLUMN_NUMBER, 0},
    {"advice", NULL, HTML_COLUMN_LONG_TEXT, 0},
};

void report_html_advice(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_advice *it = report_advice(report, &count);
    struct html_table table;

    if (count == 0)
        return;
    html_section_begin(page, "advice", "Advice", true);
    html_element(page, "p", "soft",
                 "What the counters of a launch suggest, as in its visualize_data.bin; "
                 "unfold a point to read it.");
    html_table_begin(&table, page, "advice-table", columns, COUNT(columns));
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
