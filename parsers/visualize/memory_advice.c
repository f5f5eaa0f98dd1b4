/* memory_advice.c - advice on the memory map of a block
 *
 * There is advice for a unit that is mostly idle, for a low clock, and for a pipe that
 * is active for a larger share of the time than it uses of its bandwidth. Such a pipe
 * moves small or badly aligned pieces. */
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"

static const double USAGE_LOW = 20;      /* percent of the cycles */
static const double BANDWIDTH_LOW = 0.8; /* of the limit, while active */

static const struct pipe_limit {
    bool is_a5;
    enum core_kind kind;
    const char *pipe;
    const char *bytes, *cycles;
    enum path path, second; /* the limit is the mean of both */
} pipe_limits[] = {
    {false, CORE_AIC, "MTE1", "256*49-512*19-128*518+128*524", "770", PATH_MTE_TO_L0A,
     PATH_MTE_TO_L0B},
    {false, CORE_AIC, "MTE2", "256*28+128*34+256*50-256*518", "12", PATH_MTE2_WRITE,
     PATH_MTE2_WRITE},
    {false, CORE_AIC, "MTE3", "512*19+128*518-128*524", "13", PATH_L1_TO_GM,
     PATH_L1_TO_GM},
    {false, CORE_AIC, "FIXP", "128*524", "771", PATH_L0C_TO_L1, PATH_L0C_TO_GM},
    {false, CORE_AIV, "MTE2", "128*62", "12", PATH_GM_TO_UB, PATH_GM_TO_UB},
    {false, CORE_AIV, "MTE3", "128*61", "13", PATH_UB_TO_GM, PATH_UB_TO_GM},
    {true, CORE_AIC, "MTE1", "256*1799", "1794", PATH_MTE_TO_L0A, PATH_MTE_TO_L0B},
    {true, CORE_AIC, "MTE2", "128*1058", "514", PATH_GM_TO_L1, PATH_GM_TO_L1},
    {true, CORE_AIC, "MTE3", "256*1801-256*1806-256*1058/2", "515", PATH_UB_TO_L1,
     PATH_UB_TO_L1},
    {true, CORE_AIC, "FIXP", "128*1804+128*1806+128*1815+128*1059", "1812",
     PATH_L0C_TO_L1, PATH_L0C_TO_GM},
    {true, CORE_AIV, "MTE2", "128*1058-128*1407-128*1408", "514", PATH_GM_TO_UB,
     PATH_GM_TO_UB},
    {true, CORE_AIV, "MTE3", "UB>GM", "515", PATH_UB_TO_GM, PATH_UB_TO_GM},
};

static bool is_slow(const struct measure *measure,
                    const struct pmu_row *row,
                    const struct pipe_limit *m)
{
    double first = measure_limit(measure, m->path);
    double second = measure_limit(measure, m->second);
    uint64_t pass_cycles = 0;
    struct value cycles = measure_sum(measure, row, m->cycles, &pass_cycles);
    struct value bandwidth =
        measure_bandwidth(measure, row, measure_sum(measure, row, m->bytes, NULL));

    if (first <= 0 || second <= 0 || bandwidth.kind == VALUE_NONE ||
        cycles.kind == VALUE_NONE || !cycles.integer || !pass_cycles)
        return false;
    return bandwidth.real * 2 / (first + second) <
           BANDWIDTH_LOW * cycles.real / (double)pass_cycles;
}

/* Writes the advice once, also when both vectors of a mix operator are slow. */
static void advise_pipe(const struct measure *measure,
                        const struct block_rows *entry,
                        const struct pipe_limit *m,
                        struct json_write *json)
{
    char text[80];

    for (enum side side = SIDE_CUBE; side < SIDE_ALL; side++) {
        const struct pmu_row *row = entry->rows[side];

        if (!row || row->kind != m->kind || !is_slow(measure, row, m))
            continue;
        snprintf(text, sizeof(text),
                 "%s %s bandwidth utilization lower than 80%% when active",
                 m->kind == CORE_AIC ? "cube" : "vector", m->pipe);
        json_write_text(json, text);
        return;
    }
}

void memory_advice_write(const struct measure *measure,
                         const struct block_rows *entry,
                         struct json_write *json)
{
    const char *clock = basic_info_clock_advice(measure);
    bool has_vector_advice = false;

    for (enum side side = SIDE_CUBE; side < SIDE_ALL; side++) {
        const struct pmu_row *row = block_rows_unit_row(measure, entry, side);
        struct value cycles, share;

        if (!row || (side != SIDE_CUBE && has_vector_advice))
            continue;
        share = block_rows_unit_share(measure, row, side, &cycles);
        if (share.kind == VALUE_NONE || share.real >= USAGE_LOW)
            continue;
        has_vector_advice = side != SIDE_CUBE;
        json_write_text(json, side == SIDE_CUBE
                                  ? "cube compute usage lower than 20%"
                                  : "vector compute usage lower than 20%");
    }
    for (size_t i = 0; measure->info->chip != CHIP_310P && i < COUNT(pipe_limits); i++)
        if (pipe_limits[i].is_a5 == (measure->info->chip == CHIP_A5))
            advise_pipe(measure, entry, &pipe_limits[i], json);
    if (clock)
        json_write_text(json, clock);
}
