#include "parsers/framework/step_trace.h"

#include <math.h>

#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static void a_genuine_file_is_read(void **ctx)
{
    struct step_trace trace;
    struct err err;
    (void)ctx;
    assert_int_equal(step_trace_read(&trace,
                                     SAMPLES
                                     "alexnet_ddp_level1_text/rank0_ascend_pt/"
                                     "ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
                                     &err),
                     0);
    assert_int_equal(trace.count, 1);
    assert_string_equal(trace.rows[0].step, "50");
    assert_true(trace.rows[0].us[STEP_COMPUTING] == 8873.756000000001);
    assert_int_equal(step_trace_ns(&trace, "50", STEP_PREPARING), 17902500);
    assert_int_equal(step_trace_ns(&trace, "51", STEP_PREPARING), 0);
    step_trace_clear(&trace);
}

/* The table of a cluster has further columns and no column Preparing. */
static void a_missing_column_has_no_value(void **ctx)
{
    struct step_trace trace;
    struct err err;
    (void)ctx;
    assert_int_equal(
        step_trace_read(
            &trace, SAMPLES "cluster_output_16rank/cluster_step_trace_time.csv", &err),
        0);
    assert_int_equal(trace.count, 18);
    assert_true(isnan(trace.rows[0].us[STEP_PREPARING]));
    assert_int_equal(step_trace_ns(&trace, "2", STEP_PREPARING), 0);
    step_trace_clear(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_genuine_file_is_read),
        cmocka_unit_test(a_missing_column_has_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
