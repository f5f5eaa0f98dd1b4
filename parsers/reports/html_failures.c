#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

static const struct html_column columns[] = {
    {"point", NULL, HTML_COLUMN_NUMBER, 0},
    {"shape", NULL, HTML_COLUMN_TEXT, 0},
    {"repeat", NULL, HTML_COLUMN_NUMBER, 0},
    {"state", NULL, HTML_COLUMN_WORD, 0},
    {"attempts", NULL, HTML_COLUMN_NUMBER, 0},
    {"reason", NULL, HTML_COLUMN_LONG_TEXT, 0},
};

void report_html_failures(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_task *task = report_bad_tasks(report, &count);
    struct html_table table;

    if (count == 0)
        return;
    html_section_begin(page, "failures", "Tasks without a result", true);
    html_table_begin(&table, page, "failures-table", columns, COUNT(columns));
    for (size_t i = 0; i < count; i++, task++) {
        html_table_row(&table);
        html_table_number(&table, (double)task->point);
        html_table_text(&table, task->point_text);
        html_table_number(&table, (double)task->repeat);
        html_table_text(&table, task->state);
        html_table_number(&table, (double)task->attempts);
        html_table_text(&table, task->reason);
    }
    html_table_end(&table);
    html_section_end(page);
}
