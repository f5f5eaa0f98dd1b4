#include "cli/gang/gang_rows.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/gang/gang_analysis.h"

static enum cell_kind kind_of(enum gang_cell_kind kind)
{
    static const enum cell_kind kinds[] = {
        [GANG_TEXT] = CELL_TEXT,
        [GANG_COUNT] = CELL_U64,
        [GANG_NUMBER] = CELL_F64,
        [GANG_YES] = CELL_BOOL,
    };

    return kinds[kind];
}

/* Rounds for people; the other formats have all digits. */
static double
rounded(double value, const struct gang_column *column, enum row_output_format format)
{
    double scale = pow(10, column->decimals);

    return format == ROW_OUTPUT_TEXT ? round(value * scale) / scale : value;
}

static struct cell cell_of(const struct gang_cell *from,
                           const struct gang_column *column,
                           enum row_output_format format)
{
    struct cell cell = {.kind = kind_of(column->kind)};

    switch (column->kind) {
    case GANG_TEXT:
        cell.none = !*from->text;
        cell.text = from->text;
        break;
    case GANG_COUNT:
        cell.none = !isfinite(from->number);
        cell.u64 = cell.none ? 0 : (uint64_t)from->number;
        break;
    case GANG_NUMBER:
        cell.none = !isfinite(from->number);
        cell.f64 = rounded(from->number, column, format);
        break;
    case GANG_YES:
        cell.yes = from->yes;
        break;
    }
    return cell;
}

int gang_rows_print(const struct gang_analysis *analysis,
                    const struct gang_table *table,
                    enum row_output_format format,
                    struct err *err)
{
    struct row_output_column *columns = xcalloc(table->column_count, sizeof(*columns));
    struct cell *cells = xcalloc(table->column_count, sizeof(*cells));

    for (size_t i = 0; i < table->column_count; i++)
        columns[i] = (struct row_output_column){table->columns[i].name,
                                                kind_of(table->columns[i].kind)};
    struct row_output *output = row_output_create(format, analysis->schema, columns,
                                                  table->column_count, stdout);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t i = 0; i < table->column_count; i++)
            cells[i] =
                cell_of(gang_table_cell(table, row, i), &table->columns[i], format);
        row_output_row(output, cells);
    }
    int result = row_output_finish(&output, err);
    free(columns);
    free(cells);
    return result;
}
