/* table.h - a table that the reader sorts, filters and folds
 *
 * Rows are stored once as JSON; the script of the page draws those that are visible, so
 * that 12,800 rows open as fast as ten. Each text is stored once per table.
 *
 *     html_table_begin(&table, &page, "figures", columns, COUNT(columns));
 *     for (...) {
 *         html_table_row(&table);
 *         html_table_text(&table, point);
 *         html_table_number(&table, median_us);
 *     }
 *     html_table_end(&table);
 *
 * Write the cells of a row in the order of the columns. A column without any value is
 * not drawn. */
#ifndef LIB_HTML_TABLE_H
#define LIB_HTML_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/text.h"
#include "lib/html/data.h"

enum html_column_kind {
    HTML_COLUMN_TEXT,      /* long texts are shortened; the full text is a tooltip */
    HTML_COLUMN_LONG_TEXT, /* long texts are wrapped, such as the reason of a failure */
    HTML_COLUMN_WORD,   /* a state or verdict, coloured: regressed, failed, same ... */
    HTML_COLUMN_NUMBER, /* with a fixed number of decimals */
    HTML_COLUMN_CHANGE, /* the same with a sign; large changes are coloured */
    HTML_COLUMN_VALUES, /* several numbers, drawn as dots on one line */
    HTML_COLUMN_LINK,   /* link to a file beside the page */
};

struct html_column {
    const char *name;
    const char *tooltip; /* NULL: none */
    enum html_column_kind kind;
    unsigned decimals; /* of numbers and changes */
};

struct html_table {
    struct html_data data;
    const struct html_column *columns; /* borrowed until the end of the table */
    size_t column_count;
    size_t cell;       /* next cell of the row */
    struct map *texts; /* text -> position + 1 */
    struct text list;  /* the texts as a JSON array */
    bool in_row;
};

/* The id, of letters, digits and -, is the target of links within the page. */
void html_table_begin(struct html_table *table,
                      struct text *page,
                      const char *id,
                      const struct html_column *columns,
                      size_t column_count);
/* Folds the rows with the same text in this column under one row. Call it before the
 * first row. The reader can unfold each, and all. */
void html_table_fold_by(struct html_table *table, size_t column);
/* Sorts by this column at first; otherwise rows keep their order. Before the first row.
 */
void html_table_sort_by(struct html_table *table, size_t column, bool descending);

void html_table_row(struct html_table *table);
void html_table_text(struct html_table *table, const char *text); /* "": no value */
void html_table_number(struct html_table *table, double value);   /* NaN: no value */
void html_table_values(struct html_table *table, const double *values, size_t count);
/* The path is relative to the page; the file need not exist. */
void html_table_link(struct html_table *table, const char *path, const char *text);
void html_table_none(struct html_table *table); /* a cell without a value */
void html_table_end(struct html_table *table);

#endif
