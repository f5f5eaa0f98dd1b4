#include "parsers/tables/metric_csv.h"

#include <string.h>

#include "parsers/tables/optional_columns.h"

static void add_name(struct text *out, const char *name)
{
    for (; *name; name++) /* a comma in a name would start another cell */
        text_add_char(out, *name == ',' || *name < ' ' ? '_' : *name);
    text_add_char(out, ',');
}

static void add_cell(struct text *out, struct value value)
{
    value_add(out, value);
    text_add_char(out, ',');
}

/* Writes a whole row into memory that was reserved once: a table has thousands of
 * cells. */
static void add_row(const struct measure *measure,
                    const struct pmu_row *row,
                    const struct column_table *table,
                    const struct optional_column *optional,
                    size_t optional_count,
                    struct text *out)
{
    enum { COMMA = 1, LINE_END = 2 };
    size_t cells = table->count + optional_count;
    char *at = text_reserve(out, cells * (VALUE_ROOM + COMMA) + LINE_END);

    for (size_t i = 0; i < cells; i++) {
        const struct column *column = &table->columns[i];

        if (i >= table->count) {
            at += value_put(
                at, optional_columns_value(measure, row, &optional[i - table->count]));
        } else if (column->kind == COLUMN_SUB_BLOCK) {
            measure_row_name(measure, row, at);
            at += strlen(at);
        } else {
            at += value_put(at, column_value(measure, row, column));
        }
        *at++ = ',';
    }
    *at++ = '\n';
    *at = '\0';
    out->length = (size_t)(at - out->bytes);
}

void metric_csv_table(const struct measure *measure,
                      const struct column_table *table,
                      struct text *out)
{
    struct optional_column optional[OPTIONAL_COLUMNS_MAX];
    size_t optional_count = optional_columns_list(measure, table, optional);

    for (size_t i = 0; i < table->count; i++) {
        text_add(out, table->columns[i].name);
        text_add_char(out, ',');
    }
    for (size_t i = 0; i < optional_count; i++)
        text_printf(out, "%s,", optional[i].name);
    text_add_char(out, '\n');
    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++)
        add_row(measure, pmu_row(measure->pmu, i), table, optional, optional_count,
                out);
}

/* Returns NA for 0, which means unknown. */
static struct value known_or_na(uint32_t number)
{
    return number ? value_integer(number) : value_none;
}

void metric_csv_op_basic_info(const struct measure *measure, struct text *out)
{
    const struct op_info *info = measure->info;
    bool has_mix = info->chip != CHIP_310P;

    text_printf(out,
                "Op Name,Op Type,Task Duration(us),Block Dim,%sDevice Id,Pid,"
                "Current Freq,Rated Freq,\n",
                has_mix ? "Mix Block Dim," : "");
    add_name(out, info->name);
    add_name(out, op_kind_name(measure->kind));
    add_cell(out,
             measure->has_duration ? value_real(measure->duration_us) : value_none);
    add_cell(out, value_integer(info->block_dim));
    if (has_mix)
        add_cell(out, measure->kind == OP_MIX
                          ? value_integer(measure_rows(measure, CORE_AIV))
                          : value_none);
    add_cell(out, value_integer(info->device));
    add_cell(out, known_or_na(info->pid));
    add_cell(out, known_or_na(info->current_mhz));
    add_cell(out, known_or_na(info->rated_mhz));
    text_add_char(out, '\n');
}
