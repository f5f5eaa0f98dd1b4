#include <inttypes.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

/* Returns the 64-bit FNV-1a hash of the text, which only shows whether two jobs had
 * the same job file. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

static const struct html_column columns[] = {
    {"ranks", NULL, HTML_COLUMN_NUMBER, 0},
    {"chip", NULL, HTML_COLUMN_TEXT, 0},
    {"CANN", NULL, HTML_COLUMN_TEXT, 0},
    {"driver", NULL, HTML_COLUMN_TEXT, 0},
    {"firmware", NULL, HTML_COLUMN_TEXT, 0},
    {"kernel of the host", NULL, HTML_COLUMN_TEXT, 0},
    {"measurement", "version of muster's replay and formulas", HTML_COLUMN_TEXT, 0},
    {"origin", "measured on a card, or simulated", HTML_COLUMN_WORD, 0},
};

static const struct html_column kernel_columns[] = {
    {"kernel", NULL, HTML_COLUMN_TEXT, 0},
    {"launches", "of all ranks", HTML_COLUMN_NUMBER, 0},
    {"group found by", "how muster found the ranks that take part", HTML_COLUMN_WORD,
     0},
    {"restored", "memory that was restored between passes", HTML_COLUMN_WORD, 0},
};

static void write_kernels(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_kernel *it = report_kernels(report, &count);
    struct html_table table;

    if (count == 0)
        return;
    html_table_begin(&table, page, "kernels", kernel_columns, COUNT(kernel_columns));
    for (; count; count--, it++) {
        html_table_row(&table);
        html_table_text(&table, it->kernel);
        html_table_number(&table, (double)it->launches);
        html_table_text(&table, it->group_found);
        html_table_text(&table, it->restored);
    }
    html_table_end(&table);
}

void report_html_pedigree(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);
    size_t count;
    const struct report_environment *it = report_environments(report, &count);
    struct html_table table;

    html_section_begin(page, "pedigree", "Pedigree", true);
    html_element(page, "p", "",
                 "Job file %s, hash of its text %016" PRIx64
                 ". Report of muster " MUSTER_VERSION ".",
                 job->file_name, hash_text(job->yaml));
    if (count > 0) {
        html_table_begin(&table, page, "environments", columns, COUNT(columns));
        for (; count; count--, it++) {
            html_table_row(&table);
            html_table_number(&table, (double)it->ranks);
            html_table_text(&table, it->chip);
            html_table_text(&table, it->cann);
            html_table_text(&table, it->driver);
            html_table_text(&table, it->firmware);
            html_table_text(&table, it->host_kernel);
            html_table_text(&table, it->measurement);
            html_table_text(&table, it->simulated ? "simulated" : "measured");
        }
        html_table_end(&table);
    }
    write_kernels(report, page);
    html_section_end(page);
}
