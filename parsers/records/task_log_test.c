#include "parsers/records/task_log.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

static struct task_log_record read_first(enum chip chip, const struct text *bytes)
{
    return task_log_read(chip, (const uint8_t *)bytes->bytes);
}

static void a_record_has_its_moment_its_kind_and_its_ids(void **ctx)
{
    struct text bytes = {0};
    struct task_log_record record;

    (void)ctx;
    sample_stream_task(&bytes, 0, 1, 7, 9, 1234);
    record = read_first(CHIP_A2, &bytes);
    assert_int_equal(record.moment, TASK_END);
    assert_true(record.is_core);
    assert_int_equal(record.ids, (uint64_t)7 << 32 | 9);
    assert_int_equal(record.ticks, 1234);
    text_reset(&bytes);
    sample_stream_task(&bytes, 2, 0, 7, 9, 55);
    assert_false(read_first(CHIP_A2, &bytes).is_core); /* a vector task of the queue */
    assert_true(read_first(CHIP_A5, &bytes).is_core);
    text_clear(&bytes);
}

static void sub_tasks_are_no_start_and_no_end(void **ctx)
{
    uint8_t record[64] = {34};

    (void)ctx;
    assert_int_equal(task_log_read(CHIP_A2, record).moment, TASK_OTHER);
    record[0] = 2; /* one block of a 310P */
    assert_int_equal(task_log_read(CHIP_310P, record).moment, TASK_OTHER);
}

/* 310P: task in 16 bits at 6, stream in 32 bits at 16 */
static void a_310p_has_its_ids_elsewhere(void **ctx)
{
    uint8_t record[64] = {1};

    (void)ctx;
    store_u16(record + 6, 5);
    store_u32(record + 16, 3);
    assert_int_equal(task_log_read(CHIP_310P, record).ids, (uint64_t)3 << 32 | 5);
    assert_int_equal(task_log_read(CHIP_310P, record).moment, TASK_END);
    assert_int_equal(task_log_ids_of_counters(CHIP_310P, record), 0);
}

/* With bit 12 of the stream, its upper 3 bits belong to the task. */
static void counters_and_log_have_the_same_ids(void **ctx)
{
    struct text counters = {0}, log = {0};

    (void)ctx;
    sample_a2(&counters, &(struct sample_block){.stream = 0x3005, .task = 0x0042});
    sample_stream_task(&log, 0, 0, 0x3005, 0x0042, 1);
    assert_int_equal(task_log_ids_of_counters(CHIP_A2, (const uint8_t *)counters.bytes),
                     (uint64_t)5 << 32 | 0x2042);
    assert_int_equal(read_first(CHIP_A2, &log).ids, (uint64_t)5 << 32 | 0x2042);
    text_clear(&counters);
    text_clear(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_its_moment_its_kind_and_its_ids),
        cmocka_unit_test(sub_tasks_are_no_start_and_no_end),
        cmocka_unit_test(a_310p_has_its_ids_elsewhere),
        cmocka_unit_test(counters_and_log_have_the_same_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
