/* golden_test.c - figures that the vendor published for a 910B2; heads of all tables */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/metrics/columns.h"
#include "parsers/records/sample_records.h"
#include "parsers/tables/metric_csv.h"
#include "tests/support/unit.h"

/* Counters of a mix operator with one block. */
struct counter {
    uint16_t event;
    uint64_t value;
};

static const struct counter cube[] = {
    {9, 2336}, {1280, 14}, {1282, 7}, {1292, 0}, {1293, 0}, {1294, 0},
};

static const struct counter vector[] = {
    {62, 1024}, {61, 512},   {1293, 1000}, {1294, 44}, {12, 2401}, {13, 771},
    {1280, 1},  {1282, 128}, {1284, 7},    {1286, 8},  {1288, 8},  {1290, 1021},
};

static void fill(uint64_t slots[10],
                 const uint16_t *events,
                 const struct counter *counters,
                 size_t count)
{
    memset(slots, 0, 10 * sizeof(*slots));
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < count; k++)
            if (events[i] && events[i] == counters[k].event)
                slots[i] = counters[k].value;
}

static struct op_info info = {.name = "main_kernel_mix_aic",
                              .soc = "Ascend910B2",
                              .chip = CHIP_A2,
                              .block_dim = 1,
                              .current_mhz = 1800,
                              .rated_mhz = 1800};

static struct pmu *golden_pmu(void)
{
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct counter_schedule full;
    struct err err;

    assert_int_equal(counter_schedule_full(CHIP_A2, &full, &err), 0);
    for (size_t i = 0; i < full.pass_count; i++) {
        struct sample_block aic = {.cycles = 4842};
        struct sample_block aiv = {.is_aiv = 1, .cycles = 9124};
        struct text bytes = {0};
        struct pmu_notes notes;

        fill(aic.slots, full.passes[i].aic, cube, COUNT(cube));
        fill(aiv.slots, full.passes[i].aiv, vector, COUNT(vector));
        sample_a2(&bytes, &aic);
        sample_a2(&bytes, &aiv);
        assert_int_equal(pmu_add_pass(pmu, &full.passes[i],
                                      (const uint8_t *)bytes.bytes, bytes.length,
                                      &notes, &err),
                         0);
        text_clear(&bytes);
    }
    pmu_finish(pmu);
    return pmu;
}

static struct value
cell(const struct measure *measure, size_t row, const char *table, const char *column)
{
    const struct column_table *tables = column_tables(measure->info->chip);

    for (size_t t = 0; t < COLUMN_TABLES; t++)
        for (size_t i = 0; strcmp(tables[t].name, table) == 0 && i < tables[t].count;
             i++)
            if (strcmp(tables[t].columns[i].name, column) == 0)
                return column_value(measure, pmu_row(measure->pmu, row),
                                    &tables[t].columns[i]);
    fail_msg("no column %s in %s", column, table);
    return value_none;
}

static void assert_near(struct value value, double expected)
{
    assert_int_not_equal(value.kind, VALUE_NONE);
    if (fabs(value.real - expected) > 1e-6 * fabs(expected))
        fail_msg("got %.9f, expected %.9f", value.real, expected);
}

/* The vendor's tool truncates the duration to 7 us; muster uses 7.98 us. */
static void ratios_of_a_mix_operator_use_the_exact_duration(void **ctx)
{
    struct pmu *pmu = golden_pmu();
    struct measure m;
    (void)ctx;
    measure_init(&m, &info, pmu, 7.98);
    assert_near(cell(&m, 0, "PipeUtilization", "aic_scalar_ratio"),
                2336 / (7.98 * 1800));
    m.as_vendor = true;
    assert_true(fabs(cell(&m, 0, "PipeUtilization", "aic_scalar_ratio").real -
                     0.185397) < 5e-7);
    measure_init(&m, &info, pmu, 0.9);
    assert_near(cell(&m, 0, "PipeUtilization", "aic_scalar_ratio"),
                2336 / (0.9 * 1800));
    m.as_vendor = true;
    assert_true(cell(&m, 0, "PipeUtilization", "aic_scalar_ratio").real == 0);
    pmu_destroy(pmu);
}

static void the_float_counter_is_corrected_on_every_a2(void **ctx)
{
    struct op_info a3 = info;
    struct measure m;
    (void)ctx;
    snprintf(a3.soc, sizeof(a3.soc), "Ascend910_9391");
    m = (struct measure){.info = &a3};
    assert_true(measure_corrects_floats(&m));
    m.as_vendor = true;
    assert_false(measure_corrects_floats(&m));
    m.info = &info;
    assert_true(measure_corrects_floats(&m));
}

static void the_published_figures_are_reproduced(void **ctx)
{
    struct pmu *pmu = golden_pmu();
    struct measure m;
    (void)ctx;
    measure_init(&m, &info, pmu, 7.98);
    assert_int_equal(m.kind, OP_MIX);
    assert_near(cell(&m, 0, "PipeUtilization", "aic_time(us)"), 2.69);
    assert_near(cell(&m, 0, "PipeUtilization", "aic_scalar_time(us)"), 2336 / 1800.0);
    assert_true(fabs(cell(&m, 1, "PipeUtilization", "aiv_time(us)").real - 5.068889) <
                5e-7);
    assert_near(cell(&m, 1, "Memory", "GM_to_UB_datas(KB)"), 128.0);
    assert_near(cell(&m, 1, "Memory", "aiv_gm_to_ub_bw(GB/s)"), 15.297031);
    assert_near(cell(&m, 1, "Memory", "UB_to_GM_datas(KB)"), 64.0);
    assert_near(cell(&m, 1, "Memory", "aiv_ub_to_gm_bw(GB/s)"), 7.648516);
    assert_near(cell(&m, 1, "Memory", "read_main_memory_datas(KB)"), 130.5);
    assert_near(cell(&m, 1, "Memory", "aiv_main_mem_read_bw(GB/s)"), 15.595801);
    assert_near(cell(&m, 1, "PipeUtilization", "aiv_mte2_active_bw(GB/s)"), 91.514603);
    assert_near(cell(&m, 1, "PipeUtilization", "aiv_mte3_active_bw(GB/s)"), 142.494522);
    assert_near(cell(&m, 1, "L2Cache", "aiv_write_hit_rate(%)"), 0.775194);
    assert_near(cell(&m, 1, "L2Cache", "aiv_read_hit_rate(%)"), 1.436782);
    assert_near(cell(&m, 0, "L2Cache", "aic_write_hit_rate(%)"), 200.0 / 3);
    /* with the bandwidth limits of the published version of the tool */
    assert_near(measure_usage(value_real(15.297031), 220), 6.953196);
    assert_near(measure_usage(value_real(7.648516), 186), 4.112105);
    pmu_destroy(pmu);
}

/* muster uses the default row of the chip or none; the vendor's tool uses the 910B1. */
static void unlisted_chips_have_the_default_limit_or_none(void **ctx)
{
    (void)ctx;
    double limit = bandwidth_limits_of_paths("Ascend910B4", 87, true)[PATH_GM_TO_UB];

    assert_near(value_real(limit), 220.06);
    assert_true(fabs(measure_usage(value_real(28.66), limit).real - 13.02) < 0.005);
    assert_near(
        value_real(bandwidth_limits_of_paths("Ascend910B4", 87, false)[PATH_GM_TO_UB]),
        195.27);
    assert_near(
        value_real(bandwidth_limits_of_paths("Ascend910B4-1", 0, false)[PATH_GM_TO_UB]),
        195.27);
    assert_near(
        value_real(bandwidth_limits_of_paths("Ascend910B2C", 88, false)[PATH_GM_TO_L1]),
        288.0);
    assert_near(
        value_real(bandwidth_limits_of_paths("Ascend910_9391", 0, true)[PATH_GM_TO_UB]),
        220.06);
    assert_true(bandwidth_limits_of_paths("Ascend910_9391", 0, false)[PATH_GM_TO_UB] ==
                0);
    assert_true(bandwidth_limits_of_paths("Ascend310P3", 0, false)[PATH_GM_TO_UB] == 0);
    assert_true(bandwidth_limits_of_memory("Ascend910_9391", 0, false).gm == 0);
    assert_near(value_real(bandwidth_limits_of_memory("Ascend910_9391", 0, true).gm),
                1.8);
}

/* Numbers of columns in the vendor's document. */
static void a_comma_follows_every_cell_of_a_table(void **ctx)
{
    struct pmu *pmu = golden_pmu();
    struct measure m;
    struct text out = {0};
    (void)ctx;
    measure_init(&m, &info, pmu, 7.98);
    metric_csv_table(&m, &column_tables(CHIP_A2)[4], &out);
    assert_string_equal(
        text_get(&out),
        "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),"
        "aiv_total_cycles,aiv_ub_read_bw_vector(GB/s),aiv_ub_write_bw_vector(GB/s),"
        "aiv_ub_read_bw_scalar(GB/s),aiv_ub_write_bw_scalar(GB/s),\n"
        "0,cube0,2.690000,4842,NA,NA,NA,NA,NA,NA,\n"
        "0,vector0,NA,NA,5.068889,9124,0.000000,0.000000,0.000000,0.000000,\n");
    text_reset(&out);
    metric_csv_op_basic_info(&m, &out);
    assert_string_equal(text_get(&out),
                        "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,"
                        "Device Id,Pid,Current Freq,Rated Freq,\n"
                        "main_kernel_mix_aic,mix,7.980000,1,1,0,NA,1800,1800,\n");
    text_clear(&out);
    pmu_destroy(pmu);
}

static void counters_that_were_not_collected_are_na(void **ctx)
{
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct sample_block block = {.is_aiv = 1, .cycles = 1000};
    struct counter_schedule_pass none = {{0}, {0}};
    struct text bytes = {0};
    struct pmu_notes notes;
    struct measure m;
    struct err err;
    (void)ctx;
    sample_a2(&bytes, &block);
    pmu_add_pass(pmu, &none, (const uint8_t *)bytes.bytes, bytes.length, &notes, &err);
    pmu_finish(pmu);
    measure_init(&m, &info, pmu, 10);
    assert_int_equal(m.kind, OP_VECTOR);
    for (size_t t = 0; t < COLUMN_TABLES; t++)
        for (size_t i = 0; i < column_tables(CHIP_A2)[t].count; i++) {
            const struct column *column = &column_tables(CHIP_A2)[t].columns[i];

            if (column->kind > COLUMN_CYCLES)
                assert_int_equal(column_value(&m, pmu_row(pmu, 0), column).kind,
                                 VALUE_NONE);
        }
    text_clear(&bytes);
    pmu_destroy(pmu);
}

/* The hit rate comes from the L2 channel, the time from the rounds over the cores. */
static void a_310p_has_one_row_and_its_l2_rate(void **ctx)
{
    static const uint64_t slots[8] = {1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008};
    struct op_info chip = {.soc = "Ascend310P3",
                           .chip = CHIP_310P,
                           .block_dim = 15,
                           .core_count = 10,
                           .current_mhz = 1000};
    struct pmu *pmu = pmu_create(CHIP_310P);
    struct text bytes = {0};
    uint8_t l2[72] = {0};
    struct counter_schedule full;
    struct pmu_notes notes;
    struct measure m;
    struct err err;
    (void)ctx;
    counter_schedule_full(CHIP_310P, &full, &err);
    sample_310p(&bytes, 50000, slots);
    pmu_add_pass(pmu, &full.passes[0], (const uint8_t *)bytes.bytes, bytes.length,
                 &notes, &err);
    pmu_finish(pmu);
    for (size_t i = 0; i < 8; i++)
        store_u64(l2 + 8 + 8 * i, 1001 + i);
    measure_init(&m, &chip, pmu, 260.416667);
    assert_false(measure_set_l2(&m, l2, 71));
    assert_true(measure_set_l2(&m, l2, 72));
    assert_near(cell(&m, 0, "L2Cache", "aic_l2_cache_hit_rate(%)"),
                100.0 * 1001 / 2005);
    assert_near(cell(&m, 0, "Memory", "aic_time(us)"), 50000 * (2.0 / 15) / 1000);
    assert_int_equal(
        cell(&m, 0, "ArithmeticUtilization", "aic_cube_total_instr_number").integer,
        1001);
    text_clear(&bytes);
    pmu_destroy(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_of_a_mix_operator_use_the_exact_duration),
        cmocka_unit_test(the_float_counter_is_corrected_on_every_a2),
        cmocka_unit_test(the_published_figures_are_reproduced),
        cmocka_unit_test(unlisted_chips_have_the_default_limit_or_none),
        cmocka_unit_test(a_comma_follows_every_cell_of_a_table),
        cmocka_unit_test(counters_that_were_not_collected_are_na),
        cmocka_unit_test(a_310p_has_one_row_and_its_l2_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
