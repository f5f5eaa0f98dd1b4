#include "parsers/records/scheduler_tasks.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

static void
read_all(struct scheduler_tasks *tasks, enum chip chip, const struct text *bytes)
{
    scheduler_tasks_read(tasks, chip, (const uint8_t *)text_get(bytes), bytes->length);
}

static void start_and_end_of_a_task_are_joined(void **ctx)
{
    struct text bytes = {0};
    struct scheduler_tasks tasks;
    (void)ctx;
    sample_stream_task(&bytes, 11, 0, 7, 300, 1000);
    sample_stream_task(&bytes, 0, 0, 2, 1, 1005);
    sample_stream_task(&bytes, 11, 1, 7, 300, 1400);
    sample_stream_task(&bytes, 0, 1, 2, 1, 1900);
    read_all(&tasks, CHIP_A2, &bytes);
    assert_int_equal(tasks.count, 2);
    const struct scheduler_task *copy = scheduler_tasks_find(&tasks, 7, 300);

    assert_non_null(copy);
    assert_string_equal(task_type_name(copy->type), "SDMA");
    assert_int_equal(copy->start_ticks, 1000);
    assert_int_equal(copy->end_ticks, 1400);
    assert_int_equal(tasks.ai_core_start_ticks, 1005);
    assert_int_equal(tasks.ai_core_end_ticks, 1900);
    assert_null(scheduler_tasks_find(&tasks, 7, 301));
    scheduler_tasks_clear(&tasks);
    text_clear(&bytes);
}

static void the_later_record_of_a_task_is_used(void **ctx)
{
    struct text bytes = {0};
    struct scheduler_tasks tasks;
    (void)ctx;
    for (uint64_t pass = 1; pass <= 50; pass++)
        for (int is_end = 0; is_end < 2; is_end++)
            sample_stream_task(&bytes, 1, is_end, 5, 9, pass * 100 + is_end);
    read_all(&tasks, CHIP_A2, &bytes);
    assert_int_equal(tasks.count, 1);
    assert_int_equal(tasks.rows[0].start_ticks, 5000);
    assert_int_equal(tasks.rows[0].end_ticks, 5001);
    assert_int_equal(tasks.ai_cpu_start_ticks, 5000);
    scheduler_tasks_clear(&tasks);
    text_clear(&bytes);
}

static void records_of_other_functions_are_counted(void **ctx)
{
    struct text bytes = {0};
    struct scheduler_tasks tasks;
    (void)ctx;
    sample_stream_task(&bytes, 0, 34, 5, 9, 100);
    text_add_bytes(&bytes, "half a record", 13);
    read_all(&tasks, CHIP_A2, &bytes);
    assert_int_equal(tasks.count, 0);
    assert_int_equal(tasks.other_records, 1);
    assert_null(scheduler_tasks_find(&tasks, 5, 9));
    scheduler_tasks_clear(&tasks);
    read_all(&tasks, CHIP_310P, &bytes);
    assert_int_equal(tasks.other_records, 0);
    scheduler_tasks_clear(&tasks);
    text_clear(&bytes);
}

static void an_unknown_task_type_is_named_invalid_type(void **ctx)
{
    (void)ctx;
    assert_string_equal(task_type_name(20), "C_CORE");
    assert_string_equal(task_type_name(21), "INVALID_TYPE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_and_end_of_a_task_are_joined),
        cmocka_unit_test(the_later_record_of_a_task_is_used),
        cmocka_unit_test(records_of_other_functions_are_counted),
        cmocka_unit_test(an_unknown_task_type_is_named_invalid_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
