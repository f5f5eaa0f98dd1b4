/* memory_advice.c - advice on the memory map and the memory table of a block
 *
 * The map has advice for a unit that is mostly idle and for a low clock. The table has
 * advice for a pipe that is active for a larger share of the time than it uses of its
 * bandwidth. Such a pipe moves small or badly aligned pieces. */
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"

/* Members that a row leaves out are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const double USAGE_LOW = 20;      /* percent of the cycles */
static const double BANDWIDTH_LOW = 0.8; /* of the limit, while active */

/* A pipe and the bytes that it moves; those of A2 and A3 are the bytes of the pipe in
 * the roofline (roofline_rows.c). The limit is the mean of the paths' limits, weighted
 * by the bytes on each path where `shares` has them. */
static const struct pipe_limit {
    bool is_a5;
    enum core_kind kind;
    const char *pipe;
    const char *bytes, *cycles;
    enum path paths[2];
    const char *shares[2];
    bool is_extra; /* the vendor's tool has no advice on this pipe */
} pipe_limits[] = {
    {false,
     CORE_AIC,
     "MTE1",
     "256*49-512*19-128*518+128*524",
     "770",
     {PATH_MTE_TO_L0A, PATH_MTE_TO_L0B},
     {"256*28", "128*34"}},
    {false,
     CORE_AIC,
     "MTE2",
     "256*28+128*34+256*50-256*518-512*19-128*518+128*524",
     "12",
     {PATH_MTE2_WRITE, PATH_MTE2_WRITE}},
    {false,
     CORE_AIC,
     "MTE3",
     "128*1292-128*524+128*518",
     "13",
     {PATH_L1_TO_GM, PATH_L1_TO_GM}},
    {false,
     CORE_AIC,
     "FIXP",
     "128*524",
     "771",
     {PATH_L0C_TO_L1, PATH_L0C_TO_GM},
     {NULL},
     true},
    {false, CORE_AIV, "MTE2", "128*62", "12", {PATH_GM_TO_UB, PATH_GM_TO_UB}},
    {false, CORE_AIV, "MTE3", "128*61", "13", {PATH_UB_TO_GM, PATH_UB_TO_GM}},
    {true, CORE_AIC, "MTE1", "256*1799", "1794", {PATH_MTE_TO_L0A, PATH_MTE_TO_L0B}},
    {true, CORE_AIC, "MTE2", "128*1058", "514", {PATH_GM_TO_L1, PATH_GM_TO_L1}},
    {true,
     CORE_AIC,
     "MTE3",
     "256*1801-256*1806-256*1058/2",
     "515",
     {PATH_UB_TO_L1, PATH_UB_TO_L1}},
    {true,
     CORE_AIC,
     "FIXP",
     "128*1804+128*1806+128*1815+128*1059",
     "1812",
     {PATH_L0C_TO_L1, PATH_L0C_TO_GM},
     {NULL},
     true},
    {true,
     CORE_AIV,
     "MTE2",
     "128*1058-128*1407-128*1408",
     "514",
     {PATH_GM_TO_UB, PATH_GM_TO_UB}},
    {true,
     CORE_AIV,
     "MTE3",
     "UB>GM",
     "515",
     {PATH_UB_TO_GM, PATH_UB_TO_GM},
     {NULL},
     true},
};

/* Returns GiB/s, or 0 when a limit is not known. */
static double limit_of(const struct measure *measure,
                       const struct pmu_row *row,
                       const struct pipe_limit *pipe)
{
    double sum = 0, weights = 0, weight[2] = {1, 1};

    if (pipe->shares[0] && pipe->shares[1]) {
        weight[0] = measure_sum(measure, row, pipe->shares[0], NULL).real;
        weight[1] = measure_sum(measure, row, pipe->shares[1], NULL).real;
    }
    if (weight[0] + weight[1] <= 0)
        weight[0] = weight[1] = 1;
    for (size_t i = 0; i < 2; i++) {
        double limit = measure_limit(measure, pipe->paths[i]);

        if (limit <= 0)
            return 0;
        sum += weight[i] * limit;
        weights += weight[i];
    }
    return sum / weights;
}

static bool is_slow(const struct measure *measure,
                    const struct pmu_row *row,
                    const struct pipe_limit *pipe)
{
    double limit = limit_of(measure, row, pipe);
    uint64_t pass_cycles = 0;
    struct value cycles = measure_sum(measure, row, pipe->cycles, &pass_cycles);
    struct value bandwidth =
        measure_bandwidth(measure, row, measure_sum(measure, row, pipe->bytes, NULL));

    if (limit <= 0 || bandwidth.kind == VALUE_NONE || cycles.kind == VALUE_NONE ||
        !cycles.integer || !pass_cycles)
        return false;
    return bandwidth.real / limit < BANDWIDTH_LOW * cycles.real / (double)pass_cycles;
}

/* Writes the advice once, also when both vectors of a mix operator are slow. */
static void advise_pipe(const struct measure *measure,
                        const struct block_rows *entry,
                        const struct pipe_limit *pipe,
                        struct json_write *json)
{
    char text[100];

    for (enum side side = SIDE_CUBE; side < SIDE_ALL; side++) {
        const struct pmu_row *row = entry->rows[side];

        if (!row || row->kind != pipe->kind || !is_slow(measure, row, pipe))
            continue;
        snprintf(text, sizeof(text),
                 "%s of the %s core uses less than 80%% of its bandwidth while it is "
                 "active",
                 pipe->pipe, pipe->kind == CORE_AIC ? "cube" : "vector");
        json_write_text(json, text);
        return;
    }
}

void memory_advice_write_pipes(const struct measure *measure,
                               const struct block_rows *entry,
                               struct json_write *json)
{
    enum chip chip = measure->info->chip;

    if (chip == CHIP_310P)
        return;
    for (size_t i = 0; i < COUNT(pipe_limits); i++)
        if (pipe_limits[i].is_a5 == (chip == CHIP_A5) &&
            !(pipe_limits[i].is_extra && measure->as_vendor))
            advise_pipe(measure, entry, &pipe_limits[i], json);
}

void memory_advice_write_units(const struct measure *measure,
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
        json_write_text(
            json, side == SIDE_CUBE
                      ? "the cube unit is active in less than 20% of the cycles"
                      : "the vector unit is active in less than 20% of the cycles");
    }
    if (clock)
        json_write_text(json, clock);
}
