#include "parsers/gang_report/gang_json.h"

#include <math.h>

#include "lib/base/json_write.h"
#include "lib/gang/gang_analysis.h"

static void write_cell(struct json_write *json,
                       const struct gang_column *column,
                       const struct gang_cell *cell)
{
    json_write_key(json, column->name);
    if (column->kind == GANG_YES)
        json_write_bool(json, cell->yes);
    else if (column->kind == GANG_TEXT)
        json_write_text(json, cell->text);
    else if (!isfinite(cell->number))
        json_write_null(json);
    else if (column->kind == GANG_COUNT)
        json_write_u64(json, (uint64_t)cell->number);
    else
        json_write_double(json, cell->number);
}

static void write_rows(const struct gang_analysis *analysis,
                       const struct gang_table *table,
                       struct json_write *json)
{
    if (table->row_count == 0)
        return;
    json_write_key(json, analysis->name);
    json_write_array(json);
    for (size_t row = 0; row < table->row_count; row++) {
        json_write_object(json);
        for (size_t i = 0; i < table->column_count; i++)
            write_cell(json, &table->columns[i], gang_table_cell(table, row, i));
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void gang_json_write(const struct gang_figures *figures, struct json_write *json)
{
    struct gang_times times;

    gang_times_read(&times, figures);
    json_write_key(json, "gang");
    json_write_object(json);
    for (size_t i = 0; gang_analysis_at(i); i++) {
        struct gang_table table = gang_analysis_run(
            gang_analysis_at(i),
            &(struct gang_input){.figures = figures, .times = &times});

        write_rows(gang_analysis_at(i), &table, json);
        gang_table_clear(&table);
    }
    json_write_object_end(json);
    gang_times_clear(&times);
}
