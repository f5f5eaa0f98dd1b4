/* columns_310p.c - the metric tables of the 310P: one core kind, one row */
#include "lib/base/mem.h"
#include "parsers/metrics/columns_internal.h"

/* A row may omit its last members, which are then 0 or NULL. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* clang-format off: one column per line, events as in the vendor's document */
static const struct column arithmetic_utilization[] = {
    {"aic_time(us)", CUBE_ROWS, COLUMN_TIME},
    {"aic_total_cycles", CUBE_ROWS, COLUMN_CYCLES},
    {"aic_cube_ratio", CUBE_ROWS, COLUMN_RATIO, "10"},
    {"aic_cube_fp16_ratio", CUBE_ROWS, COLUMN_SHARE, "73@10", "73+74"},
    {"aic_cube_int8_ratio", CUBE_ROWS, COLUMN_SHARE, "74@10", "74+73"},
    {"aic_cube_fops", CUBE_ROWS, COLUMN_COUNT, "8192*73+16384*74"},
    {"aic_cube_total_instr_number", CUBE_ROWS, COLUMN_COUNT, "3"},
    {"aic_vec_ratio", CUBE_ROWS, COLUMN_RATIO, "8"},
    {"aic_vec_fp32_ratio", CUBE_ROWS, COLUMN_SHARE, "75@8", "1"},
    {"aic_vec_fp16_ratio", CUBE_ROWS, COLUMN_SHARE, "76+77+174@8", "1"},
    {"aic_vec_int32_ratio", CUBE_ROWS, COLUMN_SHARE, "78@8", "1"},
    {"aic_vec_int16_ratio", CUBE_ROWS, COLUMN_SHARE, "186@8", "1"},
    {"aic_vec_misc_ratio", CUBE_ROWS, COLUMN_SHARE, "79@8", "1"},
    {"aic_vec_fops", CUBE_ROWS, COLUMN_OPERATIONS, "75"},
};

static const struct column l2_cache[] = {
    {"aic_l2_cache_hit_rate(%)", CUBE_ROWS, COLUMN_L2_RATE},
};

static const struct column memory[] = {
    {"aic_time(us)", CUBE_ROWS, COLUMN_TIME},
    {"aic_total_cycles", CUBE_ROWS, COLUMN_CYCLES},
    {"aic_l1_read_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "49", NULL, 512},
    {"aic_l1_write_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "50", NULL, 256},
    {"aic_ub_to_gm_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "61", NULL, 16},
    {"aic_gm_to_ub_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "62", NULL, 16},
    {"aic_main_mem_read_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "18", NULL, 512},
    {"aic_main_mem_write_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "19", NULL, 512},
    {"aic_mte1_instructions", CUBE_ROWS, COLUMN_COUNT, "4"},
    {"aic_mte1_ratio", CUBE_ROWS, COLUMN_RATIO, "11"},
    {"aic_mte2_instructions", CUBE_ROWS, COLUMN_COUNT, "5"},
    {"aic_mte2_ratio", CUBE_ROWS, COLUMN_RATIO, "12"},
    {"aic_mte3_instructions", CUBE_ROWS, COLUMN_COUNT, "6"},
    {"aic_mte3_ratio", CUBE_ROWS, COLUMN_RATIO, "13"},
};

static const struct column memory_l0[] = {
    {"aic_time(us)", CUBE_ROWS, COLUMN_TIME},
    {"aic_total_cycles", CUBE_ROWS, COLUMN_CYCLES},
    {"aic_l0a_read_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "27", NULL, 512},
    {"aic_l0a_write_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "28", NULL, 512},
    {"aic_l0b_read_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "33", NULL, 512},
    {"aic_l0b_write_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "34", NULL, 128},
    {"aic_l0c_read_bw_cube(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "40", NULL, 1024},
    {"aic_l0c_write_bw_cube(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "42", NULL, 1024},
    {"aic_l0c_read_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "39", NULL, 256},
    {"aic_l0c_write_bw(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "41", NULL, 256},
};

static const struct column memory_ub[] = {
    {"aic_time(us)", CUBE_ROWS, COLUMN_TIME},
    {"aic_total_cycles", CUBE_ROWS, COLUMN_CYCLES},
    {"aic_ub_read_bw_vector(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "67", NULL, 32},
    {"aic_ub_write_bw_vector(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "68", NULL, 32},
    {"aic_ub_read_bw_scalar(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "55", NULL, 16},
    {"aic_ub_write_bw_scalar(GB/s)", CUBE_ROWS, COLUMN_BANDWIDTH, "56", NULL, 16},
};

static const struct column pipe_utilization[] = {
    {"aic_time(us)", CUBE_ROWS, COLUMN_TIME},
    {"aic_total_cycles", CUBE_ROWS, COLUMN_CYCLES},
    {"aic_cube_time(us)", CUBE_ROWS, COLUMN_MICROSECONDS, "10"},
    {"aic_cube_ratio", CUBE_ROWS, COLUMN_RATIO, "10"},
    {"aic_scalar_time(us)", CUBE_ROWS, COLUMN_MICROSECONDS, "9"},
    {"aic_scalar_ratio", CUBE_ROWS, COLUMN_RATIO, "9"},
    {"aic_mte1_time(us)", CUBE_ROWS, COLUMN_MICROSECONDS, "11"},
    {"aic_mte1_ratio", CUBE_ROWS, COLUMN_RATIO, "11"},
    {"aic_mte2_time(us)", CUBE_ROWS, COLUMN_MICROSECONDS, "12"},
    {"aic_mte2_ratio", CUBE_ROWS, COLUMN_RATIO, "12"},
    {"aic_mte3_time(us)", CUBE_ROWS, COLUMN_MICROSECONDS, "13"},
    {"aic_mte3_ratio", CUBE_ROWS, COLUMN_RATIO, "13"},
    {"aic_icache_miss_rate", CUBE_ROWS, COLUMN_QUOTIENT, "85", "84"},
    {"aic_vec_time(us)", CUBE_ROWS, COLUMN_MICROSECONDS, "8"},
    {"aic_vec_ratio", CUBE_ROWS, COLUMN_RATIO, "8"},
};

static const struct column resource_conflict_ratio[] = {
    {"aic_time(us)", CUBE_ROWS, COLUMN_TIME},
    {"aic_total_cycles", CUBE_ROWS, COLUMN_CYCLES},
    {"aic_cube_wait_ratio", CUBE_ROWS, COLUMN_RATIO, "88"},
    {"aic_vec_wait_ratio", CUBE_ROWS, COLUMN_RATIO, "89"},
    {"aic_mte1_wait_ratio", CUBE_ROWS, COLUMN_RATIO, "90"},
    {"aic_mte2_wait_ratio", CUBE_ROWS, COLUMN_RATIO, "91"},
    {"aic_mte3_wait_ratio", CUBE_ROWS, COLUMN_RATIO, "92"},
    {"aic_vec_total_cflt_ratio", CUBE_ROWS, COLUMN_RATIO, "100+101+102+103"},
    {"aic_vec_bankgroup_cflt_ratio", CUBE_ROWS, COLUMN_RATIO, "100"},
    {"aic_vec_bank_cflt_ratio", CUBE_ROWS, COLUMN_RATIO, "101"},
    {"aic_vec_resc_cflt_ratio", CUBE_ROWS, COLUMN_RATIO, "102"},
    {"aic_vec_mte_cflt_ratio", CUBE_ROWS, COLUMN_RATIO, "103"},
};
const struct column_table column_tables_310p[COLUMN_TABLES] = {
    {"ArithmeticUtilization", METRIC_ARITHMETIC_UTILIZATION, arithmetic_utilization,
     COUNT(arithmetic_utilization)},
    {"L2Cache", METRIC_L2_CACHE, l2_cache, COUNT(l2_cache)},
    {"Memory", METRIC_MEMORY, memory, COUNT(memory)},
    {"MemoryL0", METRIC_MEMORY_L0, memory_l0, COUNT(memory_l0)},
    {"MemoryUB", METRIC_MEMORY_UB, memory_ub, COUNT(memory_ub)},
    {"PipeUtilization", METRIC_PIPE_UTILIZATION, pipe_utilization,
     COUNT(pipe_utilization)},
    {"ResourceConflictRatio", METRIC_RESOURCE_CONFLICT, resource_conflict_ratio,
     COUNT(resource_conflict_ratio)},
};
