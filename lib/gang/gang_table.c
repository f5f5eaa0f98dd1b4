#include "lib/gang/gang_table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

void gang_table_clear(struct gang_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free((char *)table->cells[i].text);
    free(table->cells);
    table->cells = NULL;
    table->row_count = table->room = 0;
}

void gang_table_row(struct gang_table *table)
{
    if (table->row_count == table->room) {
        table->room = table->room ? 2 * table->room : 16;
        table->cells = xreallocarray(table->cells, table->room,
                                     table->column_count * sizeof(*table->cells));
    }
    struct gang_cell *row = table->cells + table->row_count++ * table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        row[i] = (struct gang_cell){.number = NAN};
}

/* Returns the first cell of the last row without a value yet. */
static struct gang_cell *next_cell(struct gang_table *table, enum gang_cell_kind kind)
{
    struct gang_cell *row = table->cells + (table->row_count - 1) * table->column_count;
    size_t i = 0;

    while (i < table->column_count && row[i].text)
        i++;
    assert(i < table->column_count &&
           (table->columns[i].kind == kind ||
            (kind == GANG_NUMBER && table->columns[i].kind == GANG_COUNT)));
    (void)kind;
    row[i].text = xstrdup(""); /* marks the cell as written */
    return &row[i];
}

void gang_table_text(struct gang_table *table, const char *text)
{
    gang_table_textf(table, "%s", text);
}

void gang_table_textf(struct gang_table *table, const char *fmt, ...)
{
    struct gang_cell *cell = next_cell(table, GANG_TEXT);
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_vprintf(&text, fmt, args);
    va_end(args);
    free((char *)cell->text);
    cell->text = text_take(&text);
}

void gang_table_number(struct gang_table *table, double number)
{
    next_cell(table, GANG_NUMBER)->number = number;
}

void gang_table_yes(struct gang_table *table, bool yes)
{
    next_cell(table, GANG_YES)->yes = yes;
}

const struct gang_cell *
gang_table_cell(const struct gang_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

size_t gang_table_find(const struct gang_table *table, const char *column)
{
    size_t i = 0;

    while (i < table->column_count && strcmp(table->columns[i].name, column) != 0)
        i++;
    assert(i < table->column_count);
    return i;
}
