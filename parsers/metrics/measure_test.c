#include "parsers/metrics/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

static void add_pass(struct pmu *pmu, uint16_t event, uint64_t count, uint64_t cycles)
{
    struct counter_schedule_pass events = {.aiv = {event}};
    struct sample_block block = {
        .task = 4, .is_aiv = 1, .cycles = cycles, .slots = {count}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_ratio_uses_the_cycles_of_its_own_pass_and_the_vendor_those_of_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
