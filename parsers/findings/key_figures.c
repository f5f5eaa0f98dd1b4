#include "parsers/findings/key_figures.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/metrics/columns.h"

enum aggregation { MEAN, MAX, SUM };

/* figures computed from a column of the metric tables, over all rows with a value */
static const struct figure {
    const char *metric;
    const char *column;
    enum aggregation aggregation;
    const char *unit;
} figures[] = {
    {"aic_time_mean_us", "aic_time(us)", MEAN, "us"},
    {"aic_time_max_us", "aic_time(us)", MAX, "us"},
    {"aic_cycles_max", "aic_total_cycles", MAX, "cycles"},
    {"aic_cycles_total", "aic_total_cycles", SUM, "cycles"},
    {"aic_cube_ratio", "aic_cube_ratio", MEAN, "ratio"},
    {"aic_vec_ratio", "aic_vec_ratio", MEAN, "ratio"},
    {"aic_scalar_ratio", "aic_scalar_ratio", MEAN, "ratio"},
    {"aic_mte1_ratio", "aic_mte1_ratio", MEAN, "ratio"},
    {"aic_mte2_ratio", "aic_mte2_ratio", MEAN, "ratio"},
    {"aic_mte3_ratio", "aic_mte3_ratio", MEAN, "ratio"},
    {"aic_fixpipe_ratio", "aic_fixpipe_ratio", MEAN, "ratio"},
    {"aic_icache_miss_rate", "aic_icache_miss_rate", MEAN, "ratio"},
    {"aic_cube_operations", "aic_cube_fops", SUM, "ops"},
    {"aic_l2_hit_rate", "aic_total_hit_rate(%)", MEAN, "percent"},
    {"aic_l2_hit_rate", "aic_l2_cache_hit_rate(%)", MEAN, "percent"},
    {"aic_main_memory_read_gib_s", "aic_main_mem_read_bw(GB/s)", SUM, "GiB/s"},
    {"aic_main_memory_write_gib_s", "aic_main_mem_write_bw(GB/s)", SUM, "GiB/s"},
    {"aiv_time_mean_us", "aiv_time(us)", MEAN, "us"},
    {"aiv_time_max_us", "aiv_time(us)", MAX, "us"},
    {"aiv_cycles_max", "aiv_total_cycles", MAX, "cycles"},
    {"aiv_cycles_total", "aiv_total_cycles", SUM, "cycles"},
    {"aiv_vec_ratio", "aiv_vec_ratio", MEAN, "ratio"},
    {"aiv_scalar_ratio", "aiv_scalar_ratio", MEAN, "ratio"},
    {"aiv_mte2_ratio", "aiv_mte2_ratio", MEAN, "ratio"},
    {"aiv_mte3_ratio", "aiv_mte3_ratio", MEAN, "ratio"},
    {"aiv_icache_miss_rate", "aiv_icache_miss_rate", MEAN, "ratio"},
    {"aiv_vec_operations", "aiv_vec_fops", SUM, "ops"},
    {"aiv_l2_hit_rate", "aiv_total_hit_rate(%)", MEAN, "percent"},
    {"aiv_main_memory_read_gib_s", "aiv_main_mem_read_bw(GB/s)", SUM, "GiB/s"},
    {"aiv_main_memory_write_gib_s", "aiv_main_mem_write_bw(GB/s)", SUM, "GiB/s"},
    {"main_memory_read_kib", "read_main_memory_datas(KB)", SUM, "KiB"},
    {"main_memory_written_kib", "write_main_memory_datas(KB)", SUM, "KiB"},
};

static const struct column *find_column(enum chip chip, const char *name)
{
    const struct column_table *tables = column_tables(chip);

    for (size_t t = 0; t < COLUMN_TABLES; t++)
        for (size_t i = 0; i < tables[t].count; i++)
            if (strcmp(tables[t].columns[i].name, name) == 0)
                return &tables[t].columns[i];
    return NULL;
}

static bool
compute(const struct measure *measure, const struct figure *figure, double *out)
{
    const struct column *column = find_column(measure->info->chip, figure->column);
    double sum = 0, maximum = 0;
    size_t count = 0;

    for (size_t i = 0; column && i < pmu_row_count(measure->pmu); i++) {
        struct value value = column_value(measure, pmu_row(measure->pmu, i), column);

        if (value.kind == VALUE_NONE)
            continue;
        sum += value.real;
        maximum = value.real > maximum ? value.real : maximum;
        count++;
    }
    if (!count)
        return false;
    *out = figure->aggregation == SUM   ? sum
           : figure->aggregation == MAX ? maximum
                                        : sum / (double)count;
    return true;
}

/* Reports how well the ranks were synchronised. The times are of the host, not the
 * card. */
static void
report_barriers(const struct source_barriers *barriers, figure_fn *fn, void *arg)
{
    if (!barriers->count)
        return;
    fn("replays_in_step", barriers->count, "count", arg);
    fn("release_late_max_us", (double)barriers->late_max_ns / 1e3, "us", arg);
    fn("barrier_wait_max_us", (double)barriers->wait_max_ns / 1e3, "us", arg);
    fn("clock_uncertainty_max_us", (double)barriers->clock_uncertainty_max_ns / 1e3,
       "us", arg);
}

/* Reports which other rank measured a figure; nothing for the rank's own counters. */
static void report_measuring_rank(const struct findings *findings,
                                  const char *metric,
                                  uint32_t passes,
                                  figure_fn *fn,
                                  void *arg)
{
    char name[64];

    for (size_t i = 0; i < findings->shared_passes; i++)
        if (passes >> i & 1) {
            snprintf(name, sizeof(name), "%s_of_rank", metric);
            fn(name, findings->shared_by[i], "rank", arg);
            return;
        }
}

void key_figures_each(const struct findings *findings, figure_fn *fn, void *arg)
{
    const struct measure *measure = &findings->measure;

    if (measure->has_duration)
        fn("duration_us", measure->duration_us, "us", arg);
    fn("sub_blocks", (double)pmu_row_count(measure->pmu), "count", arg);
    fn("core_mhz", measure->clock_mhz, "MHz", arg);
    for (size_t i = 0; i < COUNT(figures); i++) {
        uint32_t passes = 0;
        double value;
        bool was_measured;

        pmu_track_passes(findings->pmu, &passes);
        was_measured = compute(measure, &figures[i], &value);
        pmu_track_passes(findings->pmu, NULL);
        if (!was_measured)
            continue;
        fn(figures[i].metric, value, figures[i].unit, arg);
        report_measuring_rank(findings, figures[i].metric, passes, fn, arg);
    }
    if (findings->shared_passes)
        fn("passes_of_like_ranks", (double)findings->shared_passes, "count", arg);
    report_barriers(&findings->launch->barriers, fn, arg);
}
