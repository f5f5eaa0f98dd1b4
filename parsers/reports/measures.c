#include "parsers/reports/measures.h"

#include <string.h>

const struct report_measure_row report_measures[REPORT_MEASURES] = {
    [MEASURE_DURATION] = {"duration_us", "duration, us", REPORT_GROUP_RANK, 1, 2},
    [MEASURE_COMPUTE] = {"compute_us", "compute, us", REPORT_GROUP_RANK, 1, 2},
    [MEASURE_TRANSFER] = {"transfer_us", "transfer, us", REPORT_GROUP_RANK, 1, 2},
    [MEASURE_WAIT] = {"wait_us", "wait, us", REPORT_GROUP_RANK, 1, 2},
    [MEASURE_WAIT_SHARE] = {"wait_share", "wait, %", REPORT_GROUP_RANK, 100, 1},
    [MEASURE_TOKENS] = {"moe_tokens", "tokens", REPORT_GROUP_RANK, 1, 0},
    [MEASURE_IMBALANCE] = {"moe_imbalance", "imbalance", REPORT_GROUP_RANK, 1, 2},
    [MEASURE_CUBE_OPERATIONS] = {"aic_cube_operations", "", REPORT_GROUP_NONE, 1, 0},
    [MEASURE_VECTOR_OPERATIONS] = {"aiv_vec_operations", "", REPORT_GROUP_NONE, 1, 0},
    [MEASURE_READ_KIB] = {"main_memory_read_kib", "read, MiB", REPORT_GROUP_MEMORY,
                          1.0 / 1024, 2},
    [MEASURE_WRITTEN_KIB] = {"main_memory_written_kib", "written, MiB",
                             REPORT_GROUP_MEMORY, 1.0 / 1024, 2},
    [MEASURE_FIRST_SHOWN] = {"aic_cube_ratio", "cube: cube", REPORT_GROUP_PIPES, 100,
                             1},
    {"aic_vec_ratio", "cube: vector", REPORT_GROUP_PIPES, 100, 1},
    {"aic_scalar_ratio", "cube: scalar", REPORT_GROUP_PIPES, 100, 1},
    {"aic_mte1_ratio", "cube: MTE1", REPORT_GROUP_PIPES, 100, 1},
    {"aic_mte2_ratio", "cube: MTE2", REPORT_GROUP_PIPES, 100, 1},
    {"aic_mte3_ratio", "cube: MTE3", REPORT_GROUP_PIPES, 100, 1},
    {"aic_fixpipe_ratio", "cube: fixpipe", REPORT_GROUP_PIPES, 100, 1},
    {"aic_icache_miss_rate", "cube: icache misses", REPORT_GROUP_PIPES, 100, 1},
    {"aiv_vec_ratio", "vector: vector", REPORT_GROUP_PIPES, 100, 1},
    {"aiv_scalar_ratio", "vector: scalar", REPORT_GROUP_PIPES, 100, 1},
    {"aiv_mte2_ratio", "vector: MTE2", REPORT_GROUP_PIPES, 100, 1},
    {"aiv_mte3_ratio", "vector: MTE3", REPORT_GROUP_PIPES, 100, 1},
    {"aiv_icache_miss_rate", "vector: icache misses", REPORT_GROUP_PIPES, 100, 1},
    {"aic_main_memory_read_gib_s", "cube reads, GiB/s", REPORT_GROUP_MEMORY, 1, 1},
    {"aic_main_memory_write_gib_s", "cube writes, GiB/s", REPORT_GROUP_MEMORY, 1, 1},
    {"aiv_main_memory_read_gib_s", "vector reads, GiB/s", REPORT_GROUP_MEMORY, 1, 1},
    {"aiv_main_memory_write_gib_s", "vector writes, GiB/s", REPORT_GROUP_MEMORY, 1, 1},
    {"aic_l2_hit_rate", "cube L2 hits, %", REPORT_GROUP_MEMORY, 1, 1},
    {"aiv_l2_hit_rate", "vector L2 hits, %", REPORT_GROUP_MEMORY, 1, 1},
    {"core_mhz", "clock, MHz", REPORT_GROUP_MEMORY, 1, 0},
    {"replays_in_step", "replays in step", REPORT_GROUP_STEP, 1, 0},
    {"release_late_max_us", "late release, us", REPORT_GROUP_STEP, 1, 1},
    {"barrier_wait_max_us", "wait at barrier, us", REPORT_GROUP_STEP, 1, 1},
    {"clock_uncertainty_max_us", "clock uncertainty, us", REPORT_GROUP_STEP, 1, 2},
};

bool report_measure_find(const char *metric, size_t *measure)
{
    for (size_t i = 0; i < REPORT_MEASURES; i++)
        if (strcmp(report_measures[i].metric, metric) == 0) {
            *measure = i;
            return true;
        }
    return false;
}
