/* trace_names_test.c - each trace type and its name */
#include "xpti/abi/trace_names.h"

#include "tests/support/unit.h"
#include "xpti/abi/abi.h"

static void a_type_and_its_name_lead_to_each_other(void **ctx)
{
    int known = 0;

    (void)ctx;
    for (uint16_t type = 0; type < XPTI_TYPE_COUNT; type++) {
        if (!xpti_trace_type_is_known(type))
            continue;
        assert_int_equal(xpti_trace_type_find(xpti_trace_type_name(type)), type);
        known++;
    }
    assert_int_equal(known, 36);
    assert_int_equal(xpti_trace_type_find("task_end"), 11);
    assert_string_equal(xpti_trace_type_name(126), "diagnostics");
    assert_string_equal(xpti_trace_type_name(29), "function_with_args_end");
}

static void a_number_without_a_name_is_unknown(void **ctx)
{
    (void)ctx;
    assert_string_equal(xpti_trace_type_name(0), "unknown");
    assert_string_equal(xpti_trace_type_name(30), "unknown");
    assert_string_equal(xpti_trace_type_name(128 | 5), "unknown");
    assert_string_equal(xpti_trace_type_name(UINT16_MAX), "unknown");
    assert_int_equal(xpti_trace_type_find("no_such_type"), 0);
    assert_string_equal(xpti_span_name(XPTI_TASK_BEGIN), "task");
    assert_string_equal(xpti_span_name(XPTI_SIGNAL), "signal");
    assert_string_equal(xpti_event_type_name(10), "offload_accessor");
    assert_string_equal(xpti_event_type_name(11), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_and_its_name_lead_to_each_other),
        cmocka_unit_test(a_number_without_a_name_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
