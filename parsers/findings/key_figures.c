#include "parsers/findings/key_figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/compare/disturbance.h"
#include "parsers/findings/token_figures.h"
#include "parsers/metrics/columns.h"

/* Counters may slow a launch down, so the execution without them counts. */
static bool read_duration(const struct findings *findings, double *out)
{
    uint32_t khz = findings->launch->info.ticks_khz;

    if (findings->plain.has_duration && khz) {
        *out = task_durations_us(&findings->plain, khz);
        return true;
    }
    *out = findings->measure.duration_us;
    return findings->measure.has_duration;
}

static bool read_sub_blocks(const struct findings *findings, double *out)
{
    *out = (double)pmu_row_count(findings->measure.pmu);
    return true;
}

static bool read_clock(const struct findings *findings, double *out)
{
    *out = findings->measure.clock_mhz;
    return true;
}

/* Clocks within one per cent are equal: drivers round them. */
static bool read_throttled(const struct findings *findings, double *out)
{
    double rated = op_info_rated_mhz(&findings->launch->info);

    *out = rated - findings->measure.clock_mhz;
    return *out * 100 >= rated;
}

/* A launch of a replayed range has the health records of its range. */
static const struct source_health *health_of(const struct findings *findings)
{
    const struct source_launch *launch = findings->launch;

    return launch->range_launch ? &launch->range_launch->health : &launch->health;
}

static bool read_memory_errors(const struct findings *findings, double *out)
{
    *out = health_of(findings)->errors;
    return health_of(findings)->has_errors && *out > 0;
}

static bool read_other_processes(const struct findings *findings, double *out)
{
    *out = health_of(findings)->other_processes;
    return health_of(findings)->has_processes && *out > 0;
}

static bool read_disturbed(const struct findings *findings, double *out)
{
    double low_mhz, others, errors;
    struct disturbance disturbance = {
        .throttled = read_throttled(findings, &low_mhz),
        .other_process = read_other_processes(findings, &others),
    };

    if (read_memory_errors(findings, &errors))
        disturbance.memory_errors = (uint64_t)errors;
    *out = disturbance_pack(&disturbance);
    return *out > 0;
}

static bool read_shared_passes(const struct findings *findings, double *out)
{
    *out = (double)findings->shared_passes;
    return findings->shared_passes > 0;
}

/* The next four show how well the ranks were synchronised. The times are of the host,
 * not the card. */
static bool read_replays(const struct findings *findings, double *out)
{
    *out = findings->launch->barriers.count;
    return findings->launch->barriers.count > 0;
}

static bool read_late(const struct findings *findings, double *out)
{
    *out = (double)findings->launch->barriers.late_max_ns / 1e3;
    return findings->launch->barriers.count > 0;
}

static bool read_wait(const struct findings *findings, double *out)
{
    *out = (double)findings->launch->barriers.wait_max_ns / 1e3;
    return findings->launch->barriers.count > 0;
}

static bool read_uncertainty(const struct findings *findings, double *out)
{
    *out = (double)findings->launch->barriers.clock_uncertainty_max_ns / 1e3;
    return findings->launch->barriers.count > 0;
}

static bool read_compute(const struct findings *findings, double *out)
{
    *out = findings->rank_times.compute_us;
    return findings->rank_times.is_known && findings->ai_cpu.compute_count > 0;
}

static bool read_transfer(const struct findings *findings, double *out)
{
    *out = findings->rank_times.transfer_us;
    return findings->rank_times.is_known;
}

static bool read_rank_wait(const struct findings *findings, double *out)
{
    *out = findings->rank_times.wait_us;
    return findings->rank_times.is_known;
}

static bool read_wait_share(const struct findings *findings, double *out);

#define FROM_LAUNCH(metric, unit, read, meaning)                                       \
    {                                                                                  \
        metric, NULL, FIGURE_MEAN, unit, read, meaning                                 \
    }
#define FROM_COLUMN(metric, column, aggregation, unit)                                 \
    {                                                                                  \
        metric, column, aggregation, unit, NULL, NULL                                  \
    }

/* A figure of a column is computed over all rows with a value. */
static const struct key_figure figures[] = {
    FROM_LAUNCH("duration_us",
                "us",
                read_duration,
                "duration without counters, by the clock of the card; of the last "
                "counter pass where there is no such pass: BasicInfo, ranges"),
    FROM_LAUNCH("sub_blocks", "count", read_sub_blocks, "rows of the metric tables"),
    FROM_LAUNCH("core_mhz", "MHz", read_clock, "clock that converts cycles to time"),
    FROM_LAUNCH("throttled_mhz",
                "MHz",
                read_throttled,
                "how far the clock was below the rated one; only from one per cent on"),
    FROM_LAUNCH("new_memory_errors",
                "count",
                read_memory_errors,
                "double bit errors that the memory of the card had during the launch"),
    FROM_LAUNCH("other_processes",
                "count",
                read_other_processes,
                "processes of others that used the card before or after the launch"),
    FROM_LAUNCH("disturbed",
                "",
                read_disturbed,
                "mark of a launch that comparisons leave out: 1 for a low clock, 2 for "
                "other processes, 4 for each new memory error"),
    FROM_COLUMN("aic_time_mean_us", "aic_time(us)", FIGURE_MEAN, "us"),
    FROM_COLUMN("aic_time_max_us", "aic_time(us)", FIGURE_MAX, "us"),
    FROM_COLUMN("aic_cycles_max", "aic_total_cycles", FIGURE_MAX, "cycles"),
    FROM_COLUMN("aic_cycles_total", "aic_total_cycles", FIGURE_SUM, "cycles"),
    FROM_COLUMN("aic_cube_ratio", "aic_cube_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_vec_ratio", "aic_vec_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_scalar_ratio", "aic_scalar_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_mte1_ratio", "aic_mte1_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_mte2_ratio", "aic_mte2_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_mte3_ratio", "aic_mte3_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_fixpipe_ratio", "aic_fixpipe_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_icache_miss_rate", "aic_icache_miss_rate", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aic_cube_operations", "aic_cube_fops", FIGURE_SUM, "ops"),
    FROM_COLUMN("aic_l2_hit_rate", "aic_total_hit_rate(%)", FIGURE_MEAN, "percent"),
    FROM_COLUMN("aic_l2_hit_rate", "aic_l2_cache_hit_rate(%)", FIGURE_MEAN, "percent"),
    FROM_COLUMN("aic_main_memory_read_gib_s",
                "aic_main_mem_read_bw(GB/s)",
                FIGURE_SUM,
                "GiB/s"),
    FROM_COLUMN("aic_main_memory_write_gib_s",
                "aic_main_mem_write_bw(GB/s)",
                FIGURE_SUM,
                "GiB/s"),
    FROM_COLUMN("aiv_time_mean_us", "aiv_time(us)", FIGURE_MEAN, "us"),
    FROM_COLUMN("aiv_time_max_us", "aiv_time(us)", FIGURE_MAX, "us"),
    FROM_COLUMN("aiv_cycles_max", "aiv_total_cycles", FIGURE_MAX, "cycles"),
    FROM_COLUMN("aiv_cycles_total", "aiv_total_cycles", FIGURE_SUM, "cycles"),
    FROM_COLUMN("aiv_vec_ratio", "aiv_vec_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aiv_scalar_ratio", "aiv_scalar_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aiv_mte2_ratio", "aiv_mte2_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aiv_mte3_ratio", "aiv_mte3_ratio", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aiv_icache_miss_rate", "aiv_icache_miss_rate", FIGURE_MEAN, "ratio"),
    FROM_COLUMN("aiv_vec_operations", "aiv_vec_fops", FIGURE_SUM, "ops"),
    FROM_COLUMN("aiv_l2_hit_rate", "aiv_total_hit_rate(%)", FIGURE_MEAN, "percent"),
    FROM_COLUMN("aiv_main_memory_read_gib_s",
                "aiv_main_mem_read_bw(GB/s)",
                FIGURE_SUM,
                "GiB/s"),
    FROM_COLUMN("aiv_main_memory_write_gib_s",
                "aiv_main_mem_write_bw(GB/s)",
                FIGURE_SUM,
                "GiB/s"),
    FROM_COLUMN("main_memory_read_kib",
                "read_main_memory_datas(KB)",
                FIGURE_SUM,
                "KiB"),
    FROM_COLUMN("main_memory_written_kib",
                "write_main_memory_datas(KB)",
                FIGURE_SUM,
                "KiB"),
    FROM_LAUNCH("compute_us",
                "us",
                read_compute,
                "part of a launch of several ranks in which its cores compute"),
    FROM_LAUNCH("transfer_us",
                "us",
                read_transfer,
                "part in which it only copies from or to other ranks"),
    FROM_LAUNCH("wait_us", "us", read_rank_wait, "the rest of its duration"),
    FROM_LAUNCH("wait_share",
                "ratio",
                read_wait_share,
                "`wait_us` over the duration; for cores that transfer themselves, the "
                "part in which their vector units and transfer engines are idle"),
    FROM_LAUNCH("passes_of_like_ranks",
                "count",
                read_shared_passes,
                "passes that another rank with equal work measured"),
    FROM_LAUNCH("replays_in_step",
                "count",
                read_replays,
                "replays for which all ranks were released together"),
    FROM_LAUNCH("release_late_max_us",
                "us",
                read_late,
                "largest delay between the planned and the real release"),
    FROM_LAUNCH("barrier_wait_max_us",
                "us",
                read_wait,
                "longest wait of this rank at a barrier"),
    FROM_LAUNCH("clock_uncertainty_max_us",
                "us",
                read_uncertainty,
                "largest uncertainty of the clock comparison between hosts"),
};

const struct key_figure *key_figures(size_t *count)
{
    *count = COUNT(figures);
    return figures;
}

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
compute(const struct measure *measure, const struct key_figure *figure, double *out)
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
    *out = figure->aggregation == FIGURE_SUM   ? sum
           : figure->aggregation == FIGURE_MAX ? maximum
                                               : sum / (double)count;
    return true;
}

/* Cores that transfer themselves have no records of their waits: what their pipes do
 * not fill is waits, or work of the scalar unit. */
static bool read_idle_share(const struct findings *findings, double *out)
{
    static const char *const columns[] = {"aiv_vec_ratio", "aiv_mte2_ratio",
                                          "aiv_mte3_ratio"};
    double busy = 0, ratio;

    for (size_t i = 0; i < COUNT(columns); i++) {
        const struct key_figure figure = {.column = columns[i],
                                          .aggregation = FIGURE_MEAN};

        if (!compute(&findings->measure, &figure, &ratio))
            return false;
        busy += ratio;
    }
    *out = busy < 1 ? 1 - busy : 0;
    return true;
}

static bool read_wait_share(const struct findings *findings, double *out)
{
    const struct rank_times *times = &findings->rank_times;
    double all = times->compute_us + times->transfer_us + times->wait_us;

    *out = all > 0 ? times->wait_us / all : 0;
    if (times->is_known)
        return all > 0;
    return findings->launch->group_found &&
           strcmp(findings->launch->group_found, "windows") == 0 &&
           read_idle_share(findings, out);
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

/* Reports the times with each other rank. Ranks of several communicators have equal
 * numbers. */
static void report_peers(const struct rank_times *times, figure_fn *fn, void *arg)
{
    char group[32] = "", name[64];

    for (size_t i = 0; i < times->peer_count; i++) {
        const struct rank_times_peer *peer = &times->peers[i];

        if (times->groups > 1)
            snprintf(group, sizeof(group), "_group_%" PRIu32, peer->group);
        snprintf(name, sizeof(name), "transfer_us%s_rank_%" PRIu32, group, peer->rank);
        fn(name, peer->transfer_us, "us", arg);
        snprintf(name, sizeof(name), "wait_us%s_rank_%" PRIu32, group, peer->rank);
        fn(name, peer->wait_us, "us", arg);
    }
}

void key_figures_each(const struct findings *findings, figure_fn *fn, void *arg)
{
    for (size_t i = 0; i < COUNT(figures); i++) {
        uint32_t passes = 0;
        double value;
        bool was_measured;

        if (figures[i].read) {
            if (figures[i].read(findings, &value))
                fn(figures[i].metric, value, figures[i].unit, arg);
            continue;
        }
        pmu_track_passes(findings->pmu, &passes);
        was_measured = compute(&findings->measure, &figures[i], &value);
        pmu_track_passes(findings->pmu, NULL);
        if (!was_measured)
            continue;
        fn(figures[i].metric, value, figures[i].unit, arg);
        report_measuring_rank(findings, figures[i].metric, passes, fn, arg);
    }
    report_peers(&findings->rank_times, fn, arg);
    token_figures_each(&findings->launch->tokens, fn, arg);
}
