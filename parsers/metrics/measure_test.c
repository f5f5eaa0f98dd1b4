#include "parsers/metrics/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/metrics/memory_detail.h"
#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

enum { BLOCK = 1 };

static void add_pass(struct pmu *pmu, uint16_t event, uint64_t count, uint64_t cycles)
{
    struct counter_schedule_pass events = {.aiv = {event}};
    struct sample_block block = {
        .task = 4, .block = BLOCK, .is_aiv = 1, .cycles = cycles, .slots = {count}};
    struct pmu_notes notes;
    struct text bytes = {0};
    struct err err;

    sample_a2(&bytes, &block);
    assert_int_equal(
        pmu_add_pass(pmu, &events, (uint8_t *)bytes.bytes, bytes.length, &notes, &err),
        0);
    text_clear(&bytes);
}

static double ratio_of(const struct measure *measure, const char *terms)
{
    uint64_t cycles = 0;
    struct value count = measure_sum(measure, pmu_row(measure->pmu, 0), terms, &cycles);

    return measure_ratio(measure, count, cycles).real;
}

/* Event 13 was counted in a pass of 2032 cycles, the last pass had 2009. */
static void
a_ratio_uses_the_cycles_of_its_own_pass_and_the_vendor_those_of_the_last(void **ctx)
{
    struct op_info info = {.chip = CHIP_A2, .soc = "Ascend910B2", .current_mhz = 1800};
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct measure measure;
    (void)ctx;
    add_pass(pmu, 13, 810, 2032);
    add_pass(pmu, 12, 500, 2009);
    pmu_finish(pmu);
    measure_init(&measure, &info, pmu, 2);
    assert_true(fabs(ratio_of(&measure, "13") - 0.398622) < 1e-6);
    assert_true(fabs(ratio_of(&measure, "12") - 0.248880) < 1e-6);
    measure.as_vendor = true;
    assert_true(fabs(ratio_of(&measure, "13") - 0.403186) < 1e-6);
    assert_true(fabs(ratio_of(&measure, "12") - 0.248880) < 1e-6);
    pmu_destroy(pmu);
}

static void add_transfer(struct transfer_reader *reader,
                         uint16_t block,
                         enum transfer_memory from,
                         uint64_t bytes)
{
    const struct transfer transfer = {.src_bytes = bytes,
                                      .dst_bytes = bytes,
                                      .block = block,
                                      .src_memory = (uint8_t)from,
                                      .dst_memory = MEMORY_UB};
    uint8_t row[TRANSFER_CHART_ROW_BYTES];

    transfer_write_chart_row(row, &transfer);
    transfer_read_chart(reader, row, sizeof(row));
}

static void paths_are_counted_in_bytes_in_requests_and_in_whole_units(void **ctx)
{
    static const struct {
        const char *terms;
        uint64_t sum;
    } cases[] = {
        {"GM>UB", 65 + 128},  {"GM>UB/128", 2},     {"GM>UB/256", 2},
        {"GM>UB//64", 4},     {"GM>UB//193", 1},    {"GM>UB//194", 1},
        {"GM>UB//192", 2},    {"L1>UB", 40},        {"GM>UB+L1>UB", 65 + 128 + 40},
        {"GM>UB-L1>UB", 153}, {"GM>UB//64+13", 14}, {"UB>GM", 0},
    };
    struct op_info info = {.chip = CHIP_A2, .soc = "Ascend910B2", .current_mhz = 1800};
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct memory_detail detail;
    struct transfer_reader reader;
    struct measure measure;
    (void)ctx;
    struct memory_detail_builder *builder = memory_detail_begin(info.soc, &reader);
    add_transfer(&reader, BLOCK, MEMORY_GM, 65);
    add_transfer(&reader, BLOCK, MEMORY_GM, 128);
    add_transfer(&reader, BLOCK + 1, MEMORY_GM, 7);
    add_transfer(&reader, 3 * BLOCK + 2, MEMORY_L1, 40); /* of the cube of the core */
    memory_detail_finish(&builder, &detail);
    add_pass(pmu, 13, 10, 100);
    pmu_finish(pmu);
    measure_init(&measure, &info, pmu, 2);
    assert_int_equal(measure_sum(&measure, pmu_row(pmu, 0), "GM>UB", NULL).kind,
                     VALUE_NONE);
    measure.memory = &detail;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value sum = measure_sum(&measure, pmu_row(pmu, 0), cases[i].terms, NULL);

        assert_int_equal(sum.kind, VALUE_INTEGER);
        if (sum.integer != cases[i].sum)
            fail_msg("%s: %llu", cases[i].terms, (unsigned long long)sum.integer);
    }
    memory_detail_clear(&detail);
    pmu_destroy(pmu);
}

static void the_share_of_a_limit_is_at_most_100_percent(void **ctx)
{
    (void)ctx;
    assert_true(measure_usage(value_real(30), 120).real == 25);
    assert_true(measure_usage(value_real(150), 120).real == 100);
    assert_int_equal(measure_usage(value_real(30), 0).kind, VALUE_NONE);
    assert_int_equal(measure_usage(value_real(30), -1).kind, VALUE_NONE);
    assert_int_equal(measure_usage(value_none, 120).kind, VALUE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_ratio_uses_the_cycles_of_its_own_pass_and_the_vendor_those_of_the_last),
        cmocka_unit_test(paths_are_counted_in_bytes_in_requests_and_in_whole_units),
        cmocka_unit_test(the_share_of_a_limit_is_at_most_100_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
