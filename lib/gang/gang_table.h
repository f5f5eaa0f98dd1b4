/* gang_table.h - the rows of an analysis, for commands, report.json and report.html */
#ifndef LIB_GANG_GANG_TABLE_H
#define LIB_GANG_GANG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum gang_cell_kind { GANG_TEXT, GANG_COUNT, GANG_NUMBER, GANG_YES };

struct gang_column {
    const char *name; /* in JSON and CSV: time_us */
    enum gang_cell_kind kind;
    unsigned decimals; /* of a number, for people */
    const char *tip;   /* NULL: the name is enough */
};

struct gang_cell {
    const char *text; /* "": no value */
    double number;    /* of a count and a number; NaN: no value */
    bool yes;
};

/* Zeroed but for the columns, it is an empty table. */
struct gang_table {
    const struct gang_column *columns;
    size_t column_count;
    struct gang_cell *cells; /* row by row */
    size_t row_count, room;
    bool simulated; /* a row has simulated figures */
};

void gang_table_clear(struct gang_table *table);

/* Adds a row. Then write its cells in the order of the columns; the texts are copied.
 */
void gang_table_row(struct gang_table *table);
void gang_table_text(struct gang_table *table, const char *text);
void gang_table_textf(struct gang_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void gang_table_number(struct gang_table *table, double number);
void gang_table_yes(struct gang_table *table, bool yes);

const struct gang_cell *
gang_table_cell(const struct gang_table *table, size_t row, size_t column);
/* Returns the column with this name, which must exist. */
size_t gang_table_find(const struct gang_table *table, const char *column);

#endif
