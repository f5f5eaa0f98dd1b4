#include "parsers/tables/shared_passes.h"

#include <inttypes.h>

#include "parsers/metrics/columns.h"

/* Returns a bit for each pass that the column reads in any row. */
static uint32_t passes_of(const struct findings *findings, const struct column *column)
{
    uint32_t passes = 0;

    if (column->kind == COLUMN_SUB_BLOCK)
        return 0;
    pmu_track_passes(findings->pmu, &passes);
    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++)
        column_value(&findings->measure, pmu_row(findings->pmu, i), column);
    pmu_track_passes(findings->pmu, NULL);
    return passes;
}

/* Adds the ranks that measured these passes, each once. */
static void
add_ranks(const struct findings *findings, uint32_t passes, struct text *out)
{
    const char *separator = "";

    for (size_t i = 0; i < findings->shared_passes; i++) {
        bool skip = !(passes >> i & 1);

        for (size_t k = 0; k < i; k++)
            skip |= passes >> k & 1 && findings->shared_by[k] == findings->shared_by[i];
        if (skip)
            continue;
        text_printf(out, "%s%" PRIu32, separator, findings->shared_by[i]);
        separator = " ";
    }
}

void shared_passes_csv(const struct findings *findings, struct text *out)
{
    const struct column_table *tables = column_tables(findings->measure.info->chip);
    uint32_t shared = ((uint32_t)1 << findings->shared_passes) - 1;

    text_add(out, "Table,Column,Ranks,\n");
    for (size_t t = 0; t < COLUMN_TABLES; t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            uint32_t passes = passes_of(findings, &tables[t].columns[i]) & shared;

            if (!passes)
                continue;
            text_printf(out, "%s,%s,", tables[t].name, tables[t].columns[i].name);
            add_ranks(findings, passes, out);
            text_add(out, ",\n");
        }
}
