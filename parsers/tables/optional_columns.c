#include "parsers/tables/optional_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "parsers/metrics/cube_pipes.h"

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

static size_t wait_columns(const struct measure *measure,
                           enum core_kind core,
                           struct optional_column *out)
{
    size_t count = 0;

    for (unsigned flag = 0; flag < MEASURE_FLAGS; flag++) {
        struct optional_column *column = &out[count];

        *column = (struct optional_column){
            .kind = OPTIONAL_WAIT, .core = core, .event = measure_wait_event(flag)};
        snprintf(column->name, sizeof(column->name), "%s_scalar_wait_id%u_time(us)",
                 core == CORE_AIC ? "aic" : "aiv", flag);
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

struct value optional_columns_value(const struct measure *measure,
                                    const struct pmu_row *row,
                                    const struct optional_column *column)
{
    if (row->kind != column->core)
        return value_none;
    switch (column->kind) {
    case OPTIONAL_WAIT:
        break;
    case OPTIONAL_MTE1:
        return cube_pipes_mte1(measure, row);
    case OPTIONAL_MTE2:
        return cube_pipes_mte2(measure, row);
    }
    return measure_us(measure, measure_sum(measure, row, column->event, NULL));
}
