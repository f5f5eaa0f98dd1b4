#include "lib/capture/counter_schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/sample_chips.h"
#include "tests/support/unit.h"

struct row { /* of a sample file: chip, core, pass or metric, events */
    enum chip chip;
    bool is_aiv;
    char name[32];
    uint16_t events[40];
    size_t count;
};

/* Reads the next row. Returns false at the end of the file. */
static bool next_row(FILE *file, struct row *row)
{
    char line[400], *rest = line;

    do
        if (!fgets(line, sizeof(line), file))
            return false;
    while (*line == '#');
    const char *chip = strsep(&rest, " "), *core = strsep(&rest, " ");

    *row = (struct row){.chip = sample_chip(chip), .is_aiv = !strcmp(core, "aiv")};
    snprintf(row->name, sizeof(row->name), "%s", strsep(&rest, " "));
    while (rest && row->count < COUNT(row->events))
        row->events[row->count++] = (uint16_t)atoi(strsep(&rest, " "));
    return true;
}

static void the_full_schedule_is_that_of_the_vendor(void **ctx)
{
    FILE *file = fopen("samples/passes.txt", "r");
    size_t rows = 0;
    struct row row;

    (void)ctx;
    assert_non_null(file);
    while (next_row(file, &row)) {
        struct counter_schedule schedule;
        struct err err;
        size_t pass = (size_t)atoi(row.name) - 1;

        assert_int_equal(counter_schedule_full(row.chip, &schedule, &err), 0);
        assert_in_range(pass, 0, schedule.pass_count - 1);
        assert_int_equal(row.count, schedule.slots);
        const uint16_t *events =
            row.is_aiv ? schedule.passes[pass].aiv : schedule.passes[pass].aic;
        for (size_t i = 0; i < COUNTER_SCHEDULE_SLOTS_MAX; i++)
            assert_int_equal(events[i], i < row.count ? row.events[i] : 0);
        rows++;
    }
    assert_int_equal(rows, 2 * 10 + 7 + 2 * 6);
    fclose(file);
}

static void the_310p_has_no_events_of_vectors(void **ctx)
{
    static const uint16_t none[COUNTER_SCHEDULE_SLOTS_MAX] = {0};
    struct counter_schedule schedule;
    struct err err;

    (void)ctx;
    assert_int_equal(counter_schedule_full(CHIP_310P, &schedule, &err), 0);
    for (size_t pass = 0; pass < COUNTER_SCHEDULE_PASSES_MAX; pass++)
        assert_memory_equal(schedule.passes[pass].aiv, none, sizeof(none));
}

static size_t
count_event(const struct counter_schedule *schedule, bool is_aiv, uint16_t event)
{
    size_t count = 0;

    for (size_t pass = 0; pass < schedule->pass_count; pass++) {
        const uint16_t *events =
            is_aiv ? schedule->passes[pass].aiv : schedule->passes[pass].aic;

        for (size_t i = 0; i < schedule->slots; i++)
            count += events[i] == event;
    }
    return count;
}

/* The 310P has one schedule for all metrics. Event 0 is also padding. */
static void a_plan_has_the_events_of_its_metric_and_no_others(void **ctx)
{
    FILE *file = fopen("samples/events.txt", "r");
    size_t rows = 0;
    struct row row;

    (void)ctx;
    assert_non_null(file);
    for (; next_row(file, &row); rows++) {
        struct counter_schedule full, plan;
        size_t planned = 0, wanted = 0;
        unsigned metrics;
        struct err err;

        assert_int_equal(counter_schedule_full(row.chip, &full, &err), 0);
        assert_int_equal(metric_parse(row.name, &metrics, &err), 0);
        if (metrics & METRIC_ROOFLINE)
            metrics = METRIC_ROOFLINE; /* the name selects the tables too */
        assert_int_equal(counter_schedule_pack(row.chip, metrics, &plan, &err), 0);
        for (size_t i = 0; i < row.count; i++) {
            bool exists = count_event(&full, row.is_aiv, row.events[i]) > 0;

            if (!exists && !(row.chip == CHIP_A5 && row.is_aiv && row.events[i] == 13))
                fail_msg("%s: event %u is in no pass", row.name, row.events[i]);
            if (row.events[i] == 0)
                continue;
            wanted += exists;
            if (count_event(&plan, row.is_aiv, row.events[i]) != exists)
                fail_msg("%s: event %u", row.name, row.events[i]);
        }
        for (uint16_t event = 1; event < 2000; event++)
            planned += count_event(&plan, row.is_aiv, event);
        if (row.chip != CHIP_310P)
            assert_int_equal(planned, wanted);
    }
    assert_int_equal(rows, 39);
    fclose(file);
}

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
}

static void no_card_measures_the_metrics_of_the_simulator(void **ctx)
{
    struct counter_schedule schedule;
    unsigned bits;
    struct err err;
    (void)ctx;
    assert_int_equal(metric_parse("TimelineDetail,pmsampling,OverHead", &bits, &err),
                     0);
    assert_int_equal(bits, METRIC_SIMULATED);
    assert_int_equal(counter_schedule_plan(CHIP_A2, "OverHead", &schedule, &err), -1);
    assert_string_equal(err.text,
                        "no card measures TimelineDetail, PMSampling and OverHead; use "
                        "profile.tool 'simulator'");
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

static void each_prefix_of_a_name_gives_its_chip(void **ctx)
{
    static const struct {
        const char *soc;
        enum chip chip;
    } names[] = {
        {"Ascend910B1", CHIP_A2},       {"Ascend910_9391", CHIP_A2},
        {"Ascend310P1", CHIP_310P},     {"Ascend310B4", CHIP_310B},
        {"Ascend950DT_9572", CHIP_A5},  {"Ascend910B", CHIP_A2},
        {"Ascend910", CHIP_UNKNOWN},    {"Ascend310", CHIP_UNKNOWN},
        {"xAscend910B1", CHIP_UNKNOWN}, {"", CHIP_UNKNOWN},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_int_equal(chip_of_soc(names[i].soc), names[i].chip);
}

static void only_some_metrics_read_the_l2_counters(void **ctx)
{
    static const uint16_t a2[COUNTER_SCHEDULE_L2_SLOTS] = {251, 252, 246, 253,
                                                           156, 157, 79,  7};
    static const uint16_t p310[COUNTER_SCHEDULE_L2_SLOTS] = {106, 120, 121};
    static const uint16_t none[COUNTER_SCHEDULE_L2_SLOTS] = {0};
    static const struct {
        enum chip chip;
        unsigned metrics;
        bool l2_pass, l2_in_first;
        const uint16_t *events;
    } cases[] = {
        {CHIP_A2, METRIC_L2_CACHE, true, false, a2},
        {CHIP_A2, METRIC_ROOFLINE, true, false, a2},
        {CHIP_A2, METRIC_MEMORY, false, false, a2},
        {CHIP_310B, METRIC_L2_CACHE, true, false, a2},
        {CHIP_310P, METRIC_L2_CACHE, false, true, p310},
        {CHIP_310P, METRIC_MEMORY, false, false, p310},
        {CHIP_A5, METRIC_L2_CACHE, false, false, none},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct counter_schedule schedule;
        struct err err;

        assert_int_equal(
            counter_schedule_pack(cases[i].chip, cases[i].metrics, &schedule, &err), 0);
        assert_int_equal(schedule.l2_pass, cases[i].l2_pass);
        assert_int_equal(schedule.l2_in_first, cases[i].l2_in_first);
        assert_memory_equal(schedule.l2_events, cases[i].events,
                            sizeof(schedule.l2_events));
        assert_int_equal(schedule.chip, cases[i].chip);
        assert_int_equal(schedule.metrics, cases[i].metrics);
        assert_int_equal(schedule.slots, cases[i].chip == CHIP_A5 ? 10 : 8);
    }
}

static void metrics_without_events_need_one_pass(void **ctx)
{
    static const unsigned metrics[] = {METRIC_BASIC_INFO, METRIC_SOURCE,
                                       METRIC_BASIC_INFO | METRIC_SOURCE};
    struct counter_schedule schedule;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(metrics); i++) {
        assert_int_equal(counter_schedule_pack(CHIP_A5, metrics[i], &schedule, &err),
                         0);
        assert_int_equal(schedule.pass_count, 1);
        assert_int_equal(count_event(&schedule, false, 0), 10);
    }
    assert_int_equal(counter_schedule_pack(CHIP_A2,
                                           METRIC_MEMORY_UB | METRIC_BASIC_INFO,
                                           &schedule, &err),
                     0);
    assert_int_equal(schedule.passes[0].aiv[0], 55);
}

static bool begins_with_event_0(const uint16_t *events)
{
    for (size_t i = 1; i < 10; i++)
        if (events[0] == 0 && events[i] != 0)
            return true;
    return false;
}

/* In the first slot the A5 takes event 0 for the end of the list. */
static void no_list_of_the_a5_begins_with_event_0(void **ctx)
{
    (void)ctx;
    for (unsigned bits = 1; bits < METRIC_BASIC_INFO; bits++) {
        struct counter_schedule schedule;
        struct err err;

        assert_int_equal(counter_schedule_pack(CHIP_A5, bits, &schedule, &err), 0);
        for (size_t i = 0; i < schedule.pass_count; i++)
            if (begins_with_event_0(schedule.passes[i].aic) ||
                begins_with_event_0(schedule.passes[i].aiv))
                fail_msg("metrics 0x%x, pass %zu", bits, i);
    }
}

/* Events of one group stay together. On the A5 each group with a 0 counts event 0. */
static void groups_are_packed_in_the_order_of_the_schedule(void **ctx)
{
    static const struct {
        enum chip chip;
        unsigned metrics;
        size_t pass_count;
        struct counter_schedule_pass passes[2];
    } cases[] = {
        {CHIP_A2,
         METRIC_MEMORY,
         2,
         {{{1292, 1293, 1294, 19, 49, 50, 518, 524}, {1292, 1293, 1294, 61, 62, 5, 6}},
          {{4, 5, 6, 526, 13, 12, 770}, {4, 526, 13, 12}}}},
        {CHIP_A5,
         METRIC_PIPE_UTILIZATION,
         2,
         {{{1813, 0, 52, 53, 0, 0, 10, 36, 0},
           {52, 53, 0, 0, 10, 0, 1, 514, 515, 1281}},
          {{1, 514, 515, 810, 1794, 1812, 0}, {0}}}},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct counter_schedule schedule;
        struct err err;

        assert_int_equal(
            counter_schedule_pack(cases[i].chip, cases[i].metrics, &schedule, &err), 0);
        assert_int_equal(schedule.pass_count, cases[i].pass_count);
        assert_memory_equal(schedule.passes, cases[i].passes, sizeof(cases[i].passes));
    }
}

static void each_name_of_a_metric_has_its_bits(void **ctx)
{
    static const struct {
        const char *name;
        unsigned bits;
    } wanted[] = {
        {"Default", 0x7f},
        {"PipeUtilization", 0x1},
        {"ArithmeticUtilization", 0x2},
        {"L2Cache", 0x4},
        {"Memory", 0x8},
        {"MemoryL0", 0x10},
        {"MemoryUB", 0x20},
        {"ResourceConflictRatio", 0x40},
        {"BasicInfo", 0x200},
        {"Occupancy", 0x80},
        {"Roofline", 0x17f},
        {"MemoryDetail", 0x47f},
        {"Source", 0x800},
        {"PcSampling", 0x8800},
        {"PipeTimeline", 0x2000},
        {"InstrTimeline", 0x4000},
        {"KernelScale", 0x1000},
        {"TimelineDetail", 0x10000},
        {"PMSampling", 0x20000},
        {"OverHead", 0x40000},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        unsigned bits = 1, parsed = 1;
        struct err err;

        assert_string_equal(metric_name(i, &bits), wanted[i].name);
        assert_int_equal(bits, wanted[i].bits);
        assert_int_equal(metric_parse(wanted[i].name, &parsed, &err), 0);
        if (bits == METRIC_KERNEL_SCALE)
            bits |= METRIC_TABLES; /* this metric has no table of its own */
        assert_int_equal(parsed, bits);
    }
    assert_null(metric_name(COUNT(wanted), NULL));
}

static void lists_of_metrics_are_split_at_commas(void **ctx)
{
    static const struct {
        const char *names;
        int result;
        unsigned bits;
        const char *error;
    } cases[] = {
        {"Memory,L2Cache,MemoryL0", 0, 0x1c, NULL},
        {"  Memory  ,  L2Cache  ", 0, 0xc, NULL},
        {",,Memory,", 0, 0x8, NULL},
        {" , ", 0, 0x7f, NULL},
        {"KernelScale", 0, 0x107f, NULL},
        {"kernelscale,Memory", 0, 0x1008, NULL},
        {"KernelScale,BasicInfo", 0, 0x1200, NULL},
        {"Memory L0", -1, 0, "did you mean 'MemoryL0'?"},
        {"1234567890123456789012345678901", -1, 0,
         "unknown metric '1234567890123456789012345678901'; use names such as"},
        {"12345678901234567890123456789012", -1, 0,
         "unknown metric '12345678901234567890123456789012'"},
        {"Res", -1, 0, "did you mean 'ResourceConflictRatio'?"},
        {"Memories", -1, 0, "did you mean 'Memory'?"},
        {"M", -1, 0, "did you mean 'Memory'?"},
        {"Defualt", -1, 0, "did you mean 'Default'?"},
        {"zzz", -1, 0, "use names such as"},
        {"TimelineDetai", -1, 0, "did you mean 'TimelineDetail'?"},
        {"PMSamplin", -1, 0, "did you mean 'PMSampling'?"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned bits = 0;
        struct err err = {0};

        assert_int_equal(metric_parse(cases[i].names, &bits, &err), cases[i].result);
        assert_int_equal(bits, cases[i].bits);
        if (cases[i].error && !strstr(err.text, cases[i].error))
            fail_msg("'%s': %s", cases[i].names, err.text);
    }
}

static void a_950_has_no_roofline(void **ctx)
{
    struct err err;

    (void)ctx;
    assert_int_equal(metrics_check(CHIP_A5, METRIC_ROOFLINE, &err), -1);
    assert_string_equal(err.text,
                        "a 950 counts its operations only in operand records, which "
                        "muster does not collect; remove metric 'Roofline'");
    assert_int_equal(metrics_check(CHIP_310P, METRIC_OCCUPANCY, &err), -1);
    assert_int_equal(metrics_check(CHIP_A2, METRIC_ROOFLINE | METRIC_OCCUPANCY, &err),
                     0);
}

static void kernel_scale_needs_a_chip_with_a_switch_for_it(void **ctx)
{
    struct counter_schedule plain, scaled;
    struct err err;

    (void)ctx;
    assert_int_equal(metrics_check(CHIP_310P, METRIC_KERNEL_SCALE, &err), -1);
    assert_string_equal(
        err.text,
        "the 310P always counts the whole kernel; remove metric 'KernelScale'");
    for (size_t i = 0; i < 2; i++) {
        enum chip chip = i ? CHIP_A5 : CHIP_A2;

        assert_int_equal(counter_schedule_plan(chip, "Memory", &plain, &err), 0);
        assert_int_equal(
            counter_schedule_plan(chip, "Memory,KernelScale", &scaled, &err), 0);
        assert_int_equal(scaled.pass_count, plain.pass_count);
        assert_memory_equal(scaled.passes, plain.passes, sizeof(plain.passes));
    }
}

static void only_a_950_records_its_pipes(void **ctx)
{
    static const char *const alone[] = {"PipeTimeline", "InstrTimeline",
                                        "PipeTimeline,KernelScale,BasicInfo"};
    struct counter_schedule schedule;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(alone); i++) {
        assert_int_equal(counter_schedule_plan(CHIP_A5, alone[i], &schedule, &err), 0);
        assert_int_equal(schedule.pass_count, 1);
        assert_int_equal(counter_schedule_plan(CHIP_A2, alone[i], &schedule, &err), -1);
        assert_non_null(
            strstr(err.text, "only a 950 records its pipes; remove metric"));
    }
    assert_int_equal(counter_schedule_plan(CHIP_A5, "PcSampling", &schedule, &err), 0);
    assert_int_equal(schedule.pass_count, 1);
    assert_int_equal(counter_schedule_plan(CHIP_310P, "PcSampling", &schedule, &err),
                     -1);
    assert_string_equal(
        err.text,
        "only a 950 samples its program counters; remove metric 'PcSampling'");
    assert_int_equal(
        counter_schedule_plan(CHIP_A5, "InstrTimeline,PipeTimeline", &schedule, &err),
        -1);
    assert_string_equal(err.text, "metrics 'PipeTimeline' and 'InstrTimeline' use the "
                                  "same records; remove one of them");
}

static void an_impossible_schedule_is_an_error(void **ctx)
{
    struct counter_schedule schedule;
    struct err err;

    (void)ctx;
    assert_int_equal(
        counter_schedule_pack(CHIP_310P, METRIC_OCCUPANCY, &schedule, &err), -1);
    assert_string_equal(err.text,
                        "the 310P does not have metric 'Occupancy'; remove it");
    assert_int_equal(counter_schedule_pack(CHIP_310P, METRIC_TABLES, &schedule, &err),
                     0);
    assert_int_equal(counter_schedule_full((enum chip)6, &schedule, &err), -1);
    assert_string_equal(err.text, "chip 6 is not supported");
    assert_int_equal(counter_schedule_plan(CHIP_A2, "Nothing", &schedule, &err), -1);
}

/* One for each pass, one with the L2 counters, and one without counters. */
static void a_kernel_is_executed_once_for_each_pass(void **ctx)
{
    static const struct {
        const char *names;
        size_t passes, executions;
        bool l2;
    } cases[] = {
        {"Default", 10, 12, true},
        {"BasicInfo", 1, 1, false}, /* nothing slows the kernel down */
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct counter_schedule plan;
        struct err err;

        assert_int_equal(counter_schedule_plan(CHIP_A2, cases[i].names, &plan, &err),
                         0);
        assert_int_equal(plan.pass_count, cases[i].passes);
        assert_int_equal(plan.l2_pass, cases[i].l2);
        assert_int_equal(counter_schedule_executions(&plan), cases[i].executions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_full_schedule_is_that_of_the_vendor),
        cmocka_unit_test(the_310p_has_no_events_of_vectors),
        cmocka_unit_test(a_plan_has_the_events_of_its_metric_and_no_others),
        cmocka_unit_test(one_metric_needs_one_to_five_passes),
        cmocka_unit_test(the_full_schedule_has_all_groups),
        cmocka_unit_test(an_empty_list_means_default),
        cmocka_unit_test(names_may_have_any_case_and_blanks),
        cmocka_unit_test(an_unknown_name_gives_the_nearest_one),
        cmocka_unit_test(no_card_measures_the_metrics_of_the_simulator),
        cmocka_unit_test(basic_info_alone_is_one_pass_without_events),
        cmocka_unit_test(no_pass_begins_with_padding_in_both_lists),
        cmocka_unit_test(a_name_of_the_runtime_gives_its_chip),
        cmocka_unit_test(each_prefix_of_a_name_gives_its_chip),
        cmocka_unit_test(only_some_metrics_read_the_l2_counters),
        cmocka_unit_test(metrics_without_events_need_one_pass),
        cmocka_unit_test(no_list_of_the_a5_begins_with_event_0),
        cmocka_unit_test(groups_are_packed_in_the_order_of_the_schedule),
        cmocka_unit_test(each_name_of_a_metric_has_its_bits),
        cmocka_unit_test(lists_of_metrics_are_split_at_commas),
        cmocka_unit_test(a_950_has_no_roofline),
        cmocka_unit_test(kernel_scale_needs_a_chip_with_a_switch_for_it),
        cmocka_unit_test(only_a_950_records_its_pipes),
        cmocka_unit_test(an_impossible_schedule_is_an_error),
        cmocka_unit_test(a_kernel_is_executed_once_for_each_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
