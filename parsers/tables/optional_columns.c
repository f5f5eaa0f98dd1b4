#include "parsers/tables/optional_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"

enum { FLAGS = 16 };

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct optional_column *)left)->name,
                  ((const struct optional_column *)right)->name);
}

static bool is_counted(const struct measure *measure,
                       const struct optional_column *column)
{
    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++) {
        const struct pmu_row *row = pmu_row(measure->pmu, i);
        struct value value;

        if (row->kind != column->core)
            continue;
        value = measure_sum(measure, row, column->event, NULL);
        if (value.kind != VALUE_NONE && value.integer > 0)
            return true;
    }
    return false;
}

/* Flags 0 to 7 are events 1792 to 1799, flags 8 to 15 are events 1780 to 1787. */
static size_t wait_columns(const struct measure *measure,
                           enum core_kind core,
                           struct optional_column *out)
{
    size_t count = 0;

    for (unsigned flag = 0; flag < FLAGS; flag++) {
        struct optional_column *column = &out[count];

        *column = (struct optional_column){.kind = OPTIONAL_WAIT, .core = core};
        snprintf(column->name, sizeof(column->name), "%s_scalar_wait_id%u_time(us)",
                 core == CORE_AIC ? "aic" : "aiv", flag);
        snprintf(column->event, sizeof(column->event), "%u",
                 flag < 8 ? 1792 + flag : 1780 + flag - 8);
        count += is_counted(measure, column);
    }
    if (count > 0)
        qsort(out, count, sizeof(*out), compare_names);
    return count;
}

size_t optional_columns_list(const struct measure *measure,
                             const struct column_table *table,
                             struct optional_column out[OPTIONAL_COLUMNS_MAX])
{
    static const struct optional_column bandwidths[] = {
        {"aic_mte1_active_bw(GB/s)", OPTIONAL_MTE1, CORE_AIC, ""},
        {"aic_mte2_active_bw(GB/s)", OPTIONAL_MTE2, CORE_AIC, ""},
    };
    size_t count;

    if (table->metric != METRIC_PIPE_UTILIZATION || measure->info->chip != CHIP_A2)
        return 0;
    count = wait_columns(measure, CORE_AIC, out);
    count += wait_columns(measure, CORE_AIV, out + count);
    for (size_t i = 0; measure->memory && i < COUNT(bandwidths); i++)
        out[count++] = bandwidths[i];
    return count;
}

/* Returns the bytes from L1: all bytes minus those that came from GM by the records. */
static uint64_t from_l1(const struct measure *measure,
                        const struct pmu_row *row,
                        const char *all,
                        const char *gm)
{
    struct value bytes = measure_sum(measure, row, all, NULL);
    struct value from_gm = measure_sum(measure, row, gm, NULL);

    return bytes.integer > from_gm.integer ? bytes.integer - from_gm.integer : 0;
}

struct value optional_columns_value(const struct measure *measure,
                                    const struct pmu_row *row,
                                    const struct optional_column *column)
{
    uint64_t bytes;

    if (row->kind != column->core)
        return value_none;
    if (column->kind == OPTIONAL_WAIT)
        return measure_us(measure, measure_sum(measure, row, column->event, NULL));
    if (column->kind == OPTIONAL_MTE2)
        return measure_active(measure,
                              measure_sum(measure, row, "GM>L1+GM>L0A+GM>L0B", NULL),
                              measure_sum(measure, row, "12", NULL));
    bytes = from_l1(measure, row, "256*28", "GM>L0A") +
            from_l1(measure, row, "128*34", "GM>L0B");
    return measure_active(measure, value_integer(bytes),
                          measure_sum(measure, row, "770", NULL));
}
