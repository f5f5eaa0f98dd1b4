/* trace_records_test.c - records that no subscriber writes are counted and left out */
#include "parsers/xpti/trace_records.h"

#include "tests/support/unit.h"
#include "xpti/abi/abi.h"

static struct trace_records records;

static int clear(void **ctx)
{
    (void)ctx;
    trace_records_clear(&records);
    return 0;
}

static void add(const char *type, const void *record, size_t size, bool is_fixed)
{
    const struct capture_block block = {
        .head = {.shard = 1, .record_size = is_fixed ? (uint16_t)size : 0},
        .type = type,
        .payload = record,
        .payload_bytes = size,
    };
    struct err err;

    assert_int_equal(trace_records_add(&block, &records, &err), 0);
}

static void add_object(uint64_t number)
{
    const struct record_xpti_object object = {.object = number, .line = 33};

    add("xpti.object", &object, sizeof(object), true);
}

static void add_event(uint64_t time_ns)
{
    const struct record_xpti_event event = {.time_ns = time_ns,
                                            .type = XPTI_TASK_BEGIN};

    add("xpti.event", &event, sizeof(event), true);
}

static void impossible_numbers_of_objects_are_counted(void **ctx)
{
    (void)ctx;
    add_object(1u << 26);
    add_object(7);
    assert_int_equal(records.bad, 0);
    add_object(0);
    add_object((1u << 26) + 1);
    add_object(UINT64_MAX);
    assert_int_equal(records.bad, 3);
    assert_int_equal(trace_object(&records.processes[0], 7)->line, 33);
    assert_int_equal(trace_object(&records.processes[0], 1u << 26)->line, 33);
    assert_null(trace_object(&records.processes[0], 8)); /* the same page */
    assert_null(trace_object(&records.processes[0], UINT64_MAX));
}

static void times_whose_sums_overflow_are_counted(void **ctx)
{
    struct record_xpti_process process = {.time_ns = 5, .wall_ns = UINT64_C(1) << 62};

    (void)ctx;
    add_event((UINT64_C(1) << 61) - 1);
    add_event(UINT64_C(1) << 61);
    add("xpti.process", &process, sizeof(process), true);
    assert_int_equal(records.bad, 2);
    assert_int_equal(records.events, 1);
    process.wall_ns = 1000;
    add("xpti.process", &process, sizeof(process), true);
    assert_int_equal(records.processes[0].to_wall_ns, 995);
}

static void a_text_longer_than_its_record_is_counted(void **ctx)
{
    struct {
        struct record_xpti_text head;
        char bytes[8];
    } text = {{.length = 24, .text = 1, .bytes = 8}, "Vec\"Add"};

    (void)ctx;
    add("xpti.text", &text, sizeof(text), false);
    assert_string_equal(trace_text(&records.processes[0], 1), "Vec\"Add");
    text.head.bytes = 9;
    add("xpti.text", &text, sizeof(text), false);
    text.head.text = 0;
    add("xpti.text", &text, sizeof(text), false);
    assert_int_equal(records.bad, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(impossible_numbers_of_objects_are_counted, clear),
        cmocka_unit_test_teardown(times_whose_sums_overflow_are_counted, clear),
        cmocka_unit_test_teardown(a_text_longer_than_its_record_is_counted, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
