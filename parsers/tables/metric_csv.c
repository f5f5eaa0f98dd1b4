#include "parsers/tables/metric_csv.h"

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

static void add_row(const struct measure *measure,
                    const struct pmu_row *row,
                    const struct column_table *table,
                    const struct optional_column *optional,
                    size_t optional_count,
                    struct text *out)
{
    for (size_t i = 0; i < table->count; i++) {
        char name[16];

        if (table->columns[i].kind == COLUMN_SUB_BLOCK) {
            measure_row_name(measure, row, name);
            add_name(out, name);
        } else {
            add_cell(out, column_value(measure, row, &table->columns[i]));
        }
    }
    for (size_t i = 0; i < optional_count; i++)
        add_cell(out, optional_columns_value(measure, row, &optional[i]));
    text_add_char(out, '\n');
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
