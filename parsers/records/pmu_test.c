#include "parsers/records/pmu.h"

#include "parsers/records/sample_records.h"
#include "parsers/records/task_log.h"
#include "tests/support/unit.h"

static const struct counter_schedule_pass events = {{3, 4, 5, 6, 526, 0, 0, 0},
                                                    {1, 75, 76, 77, 78, 79, 174, 186}};

static struct pmu_notes
add(struct pmu *pmu, const struct counter_schedule_pass *pass, const struct text *bytes)
{
    struct pmu_notes notes;
    struct err err;

    assert_int_equal(pmu_add_pass(pmu, pass, (const uint8_t *)text_get(bytes),
                                  bytes->length, &notes, &err),
                     0);
    return notes;
}

static void rows_are_sorted_by_block_and_core_name(void **ctx)
{
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct text bytes = {0};
    uint64_t value, cycles;
    (void)ctx;
    for (uint16_t block = 3; block-- > 0;) {
        sample_a2(&bytes,
                  &(struct sample_block){.block = block, .is_aiv = 1, .sub_block = 1});
        sample_a2(&bytes, &(struct sample_block){.block = block, .is_aiv = 1});
        sample_a2(&bytes, &(struct sample_block){.block = block,
                                                 .cycles = 70u + block,
                                                 .slots = {11, 22}});
    }
    assert_int_equal(add(pmu, &events, &bytes).records, 9);
    pmu_finish(pmu);
    assert_int_equal(pmu_row_count(pmu), 9);
    for (size_t i = 0; i < 9; i++) {
        const struct pmu_row *row = pmu_row(pmu, i);

        assert_int_equal(row->block, i / 3);
        assert_int_equal(row->kind, i % 3 ? CORE_AIV : CORE_AIC);
        assert_int_equal(row->sub_block, i % 3 == 2);
        assert_int_equal(row->core, 4);
    }
    assert_true(pmu_get(pmu, pmu_row(pmu, 6), 4, &value, &cycles));
    assert_int_equal(value, 22);
    assert_int_equal(cycles, 72);
    assert_false(pmu_get(pmu, pmu_row(pmu, 6), 0, &value, &cycles));
    assert_false(pmu_get(pmu, pmu_row(pmu, 6), 75, &value, &cycles));
    text_clear(&bytes);
    pmu_destroy(pmu);
}

static void only_the_last_group_of_a_file_counts(void **ctx)
{
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct text bytes = {0};
    (void)ctx;
    sample_a2(&bytes, &(struct sample_block){.task = 1, .block = 9, .cycles = 1});
    sample_a2(&bytes, &(struct sample_block){.task = 2, .cycles = 2});
    sample_a2(&bytes, &(struct sample_block){.task = 2, .block = 1, .cycles = 3});
    text_add(&bytes, "seven b");
    struct pmu_notes notes = add(pmu, &events, &bytes);
    assert_int_equal(notes.groups, 2);
    assert_int_equal(notes.records, 2);
    assert_int_equal(notes.tail_bytes, 7);
    pmu_finish(pmu);
    assert_int_equal(pmu_row_count(pmu), 2);
    assert_int_equal(pmu_row(pmu, 0)->cycles, 2);
    text_clear(&bytes);
    pmu_destroy(pmu);
}

static void other_function_types_are_skipped(void **ctx)
{
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct text bytes = {0};
    (void)ctx;
    sample_a2(&bytes, &(struct sample_block){.cycles = 5});
    sample_a2(&bytes, &(struct sample_block){.block = 1});
    bytes.bytes[128] = 0x28; /* function type of a sub-task, which has another layout */
    sample_a2(&bytes, &(struct sample_block){.block = 2});
    bytes.bytes[256] = 0; /* hand-made files have function type 0 */
    struct pmu_notes notes = add(pmu, &events, &bytes);
    assert_int_equal(notes.skipped, 1);
    assert_int_equal(notes.records, 2);
    assert_int_equal(notes.groups, 1);
    text_clear(&bytes);
    pmu_destroy(pmu);
}

static void counters_stay_with_the_cycles_of_their_pass(void **ctx)
{
    static const struct counter_schedule_pass second = {{9, 10}, {0}};
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct text one = {0}, two = {0};
    uint64_t value, cycles;
    (void)ctx;
    sample_a2(&one, &(struct sample_block){.cycles = 100, .slots = {1, 2, 3}});
    sample_a2(&two, &(struct sample_block){.cycles = 200, .end = 7, .slots = {8, 9}});
    add(pmu, &events, &one);
    add(pmu, &second, &two);
    pmu_finish(pmu);
    const struct pmu_row *row = pmu_row(pmu, 0);
    assert_int_equal(row->cycles, 200);
    assert_int_equal(row->end_ticks, 7);
    assert_true(pmu_get(pmu, row, 5, &value, &cycles));
    assert_int_equal(value, 3);
    assert_int_equal(cycles, 100);
    assert_true(pmu_get(pmu, row, 10, &value, &cycles));
    assert_int_equal(value, 9);
    assert_int_equal(cycles, 200);
    text_clear(&one);
    text_clear(&two);
    pmu_destroy(pmu);
}

static void a_row_can_appear_first_in_a_later_pass(void **ctx)
{
    struct pmu *pmu = pmu_create(CHIP_A2);
    struct text none = {0}, late = {0};
    uint64_t value, cycles;
    (void)ctx;
    sample_a2(&late, &(struct sample_block){.cycles = 3, .slots = {7}});
    for (size_t i = 0; i < 11; i++)
        add(pmu, &events, &none);
    static const struct counter_schedule_pass last = {{999}, {0}};
    add(pmu, &last, &late);
    pmu_finish(pmu);
    assert_true(pmu_get(pmu, pmu_row(pmu, 0), 999, &value, &cycles));
    assert_int_equal(value, 7);
    assert_false(pmu_get(pmu, pmu_row(pmu, 0), 3, &value, &cycles));
    text_clear(&late);
    pmu_destroy(pmu);
}

static void on_an_a5_event_zero_is_a_counter(void **ctx)
{
    struct counter_schedule full;
    struct pmu *pmu = pmu_create(CHIP_A5);
    struct text bytes = {0};
    uint64_t value, cycles;
    struct err err;
    (void)ctx;
    assert_int_equal(counter_schedule_full(CHIP_A5, &full, &err), 0);
    struct sample_block block = {.cycles = 50000, .slots = {[9] = 1010}};
    sample_a5(&bytes, &block);
    add(pmu, &full.passes[1], &bytes);
    pmu_finish(pmu);
    assert_true(pmu_get(pmu, pmu_row(pmu, 0), 0, &value, &cycles));
    assert_int_equal(value, 1010);
    assert_int_equal(pmu_row(pmu, 0)->core, 3);
    text_clear(&bytes);
    pmu_destroy(pmu);
}

static void ids_are_decoded_from_both_halves(void **ctx)
{
    uint16_t stream, task;
    (void)ctx;
    pmu_decode_ids(0x0805, 77, &stream, &task);
    assert_int_equal(stream, 5);
    assert_int_equal(task, 77);
    pmu_decode_ids(0xB003, 0x3FFF, &stream, &task);
    assert_int_equal(task, 0x1FFF | 0xA000);
    assert_int_equal(stream, 0xB003 % 2048);
    pmu_decode_ids(0x2123, 0x5456, &stream, &task);
    assert_int_equal(task, 0x5123);
    assert_int_equal(stream, 0x456);
}

static void durations_equal_those_of_the_vendors_tool(void **ctx)
{
    struct text bytes = {0};
    struct task_durations log;
    (void)ctx;
    sample_task(&bytes, 64, 0, 0, 10); /* an earlier task */
    sample_task(&bytes, 64, 0, 0, 30000);
    sample_task(&bytes, 64, 1, 1, 35000); /* AI CPU */
    sample_task(&bytes, 64, 0, 1, 40000);
    text_add(&bytes, "tail");
    task_durations_read(&log, CHIP_A2, (uint8_t *)bytes.bytes, bytes.length);
    assert_int_equal(log.tail_bytes, 4);
    assert_true(log.has_duration);
    assert_true(task_durations_us(&log, 50000) == 200.0);
    text_reset(&bytes);
    sample_task(&bytes, 32, 1, 0, 60000);
    sample_task(&bytes, 32, 1, 1, 70000);
    task_durations_read(&log, CHIP_A5, (uint8_t *)bytes.bytes, bytes.length);
    assert_true(task_durations_us(&log, 1000000) == 10.0);
    text_reset(&bytes);
    sample_task(&bytes, 64, 0, 0, 60000);
    sample_task(&bytes, 64, 0, 1, 70000);
    task_durations_read(&log, CHIP_310P, (uint8_t *)bytes.bytes, bytes.length);
    assert_true(task_durations_us(&log, 38400) > 260.416666);
    text_clear(&bytes);
}

static void without_an_end_there_is_no_duration(void **ctx)
{
    struct text bytes = {0};
    struct task_durations log;
    (void)ctx;
    sample_task(&bytes, 64, 0, 1, 5);
    task_durations_read(&log, CHIP_A2, (uint8_t *)bytes.bytes, bytes.length);
    assert_false(log.has_duration);
    sample_task(&bytes, 64, 0, 0, 6);
    task_durations_read(&log, CHIP_A2, (uint8_t *)bytes.bytes, bytes.length);
    assert_false(log.has_duration); /* the end is before the start */
    text_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_by_block_and_core_name),
        cmocka_unit_test(only_the_last_group_of_a_file_counts),
        cmocka_unit_test(other_function_types_are_skipped),
        cmocka_unit_test(counters_stay_with_the_cycles_of_their_pass),
        cmocka_unit_test(a_row_can_appear_first_in_a_later_pass),
        cmocka_unit_test(on_an_a5_event_zero_is_a_counter),
        cmocka_unit_test(ids_are_decoded_from_both_halves),
        cmocka_unit_test(durations_equal_those_of_the_vendors_tool),
        cmocka_unit_test(without_an_end_there_is_no_duration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
