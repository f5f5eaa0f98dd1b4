#include "lib/capture/counter_schedule.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

/* Published numbers of passes per metric, with groups kept together. */
static void one_metric_needs_one_to_five_passes(void **ctx)
{
    static const struct {
        unsigned metrics;
        size_t a2, a5;
    } rows[] = {
        {METRIC_PIPE_UTILIZATION, 5, 2}, {METRIC_ARITHMETIC_UTILIZATION, 2, 1},
        {METRIC_L2_CACHE, 2, 2},         {METRIC_MEMORY, 2, 2},
        {METRIC_ROOFLINE, 4, 3},         {METRIC_MEMORY_L0, 1, 1},
        {METRIC_MEMORY_UB, 1, 1},        {METRIC_RESOURCE_CONFLICT, 1, 1},
        {METRIC_OCCUPANCY, 2, 2},        {METRIC_TABLES, 10, 6},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct counter_schedule schedule;
        struct err err;

        assert_int_equal(
            counter_schedule_pack(CHIP_A2, rows[i].metrics, &schedule, &err), 0);
        assert_int_equal(schedule.pass_count, rows[i].a2);
        assert_int_equal(
            counter_schedule_pack(CHIP_A5, rows[i].metrics, &schedule, &err), 0);
        assert_int_equal(schedule.pass_count, rows[i].a5);
    }
}

static void the_full_schedule_has_all_groups(void **ctx)
{
    struct counter_schedule schedule;
    struct err err;
    (void)ctx;
    assert_int_equal(counter_schedule_full(CHIP_A2, &schedule, &err), 0);
    assert_int_equal(schedule.pass_count, 10);
    assert_int_equal(schedule.passes[9].aic[7], 771);
    assert_int_equal(schedule.passes[0].aiv[0], 55);
    assert_true(schedule.l2_pass);
    assert_int_equal(schedule.l2_events[4], 0x9C);
    assert_int_equal(counter_schedule_full(CHIP_310P, &schedule, &err), 0);
    assert_int_equal(schedule.pass_count, 7);
    assert_true(schedule.l2_in_first);
    assert_int_equal(counter_schedule_full(CHIP_A5, &schedule, &err), 0);
    assert_int_equal(schedule.pass_count, 6);
    assert_int_equal(schedule.slots, 10);
    assert_int_equal(schedule.passes[5].aiv[9], 1468);
}

static void an_empty_list_means_default(void **ctx)
{
    struct counter_schedule asked, silent;
    struct err err;
    (void)ctx;
    assert_int_equal(counter_schedule_plan(CHIP_A2, "Default", &asked, &err), 0);
    assert_int_equal(counter_schedule_plan(CHIP_A2, "", &silent, &err), 0);
    assert_memory_equal(&asked, &silent, sizeof(asked));
    assert_int_equal(asked.pass_count, 10);
}

static void names_may_have_any_case_and_blanks(void **ctx)
{
    unsigned bits;
    struct err err;
    (void)ctx;
    assert_int_equal(metric_parse("pipeutilization, L2CACHE ", &bits, &err), 0);
    assert_int_equal(bits, METRIC_PIPE_UTILIZATION | METRIC_L2_CACHE);
}

static void an_unknown_name_gives_the_nearest_one(void **ctx)
{
    unsigned bits;
    struct err err;
    (void)ctx;
    assert_int_equal(metric_parse("Default,PipeUtilisation", &bits, &err), -1);
    assert_non_null(strstr(err.text, "'PipeUtilisation'"));
    assert_non_null(strstr(err.text, "did you mean 'PipeUtilization'"));
    assert_int_equal(metric_parse("PcSampling", &bits, &err), -1);
    assert_non_null(strstr(err.text, "does not collect metric 'PcSampling'"));
}

static void basic_info_alone_is_one_pass_without_events(void **ctx)
{
    struct counter_schedule schedule;
    struct counter_schedule_pass none = {{0}, {0}};
    struct err err;
    (void)ctx;
    assert_int_equal(counter_schedule_plan(CHIP_A2, "BasicInfo", &schedule, &err), 0);
    assert_int_equal(schedule.pass_count, 1);
    assert_memory_equal(&schedule.passes[0], &none, sizeof(none));
    assert_false(schedule.l2_pass);
}

static void no_pass_begins_with_padding_in_both_lists(void **ctx)
{
    static const enum chip chips[] = {CHIP_A2, CHIP_A5};
    (void)ctx;
    for (size_t c = 0; c < COUNT(chips); c++)
        for (unsigned bits = 1; bits < METRIC_BASIC_INFO; bits++) {
            struct counter_schedule schedule;
            struct err err;

            assert_int_equal(counter_schedule_pack(chips[c], bits, &schedule, &err), 0);
            for (size_t i = 0; i < schedule.pass_count; i++)
                assert_true(schedule.passes[i].aic[0] || schedule.passes[i].aiv[0]);
        }
}

static void a_name_of_the_runtime_gives_its_chip(void **ctx)
{
    struct counter_schedule schedule;
    struct err err;
    (void)ctx;
    assert_int_equal(chip_of_soc("Ascend910B4-1"), CHIP_A2);
    assert_int_equal(chip_of_soc("Ascend910_9382"), CHIP_A2);
    assert_int_equal(chip_of_soc("Ascend310P3"), CHIP_310P);
    assert_int_equal(chip_of_soc("Ascend950PR_9599"), CHIP_A5);
    assert_int_equal(chip_of_soc("Ascend910A"), CHIP_UNKNOWN);
    assert_int_equal(counter_schedule_full(CHIP_UNKNOWN, &schedule, &err), -1);
    assert_int_equal(counter_schedule_plan(CHIP_310P, "Occupancy", &schedule, &err),
                     -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_metric_needs_one_to_five_passes),
        cmocka_unit_test(the_full_schedule_has_all_groups),
        cmocka_unit_test(an_empty_list_means_default),
        cmocka_unit_test(names_may_have_any_case_and_blanks),
        cmocka_unit_test(an_unknown_name_gives_the_nearest_one),
        cmocka_unit_test(basic_info_alone_is_one_pass_without_events),
        cmocka_unit_test(no_pass_begins_with_padding_in_both_lists),
        cmocka_unit_test(a_name_of_the_runtime_gives_its_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
