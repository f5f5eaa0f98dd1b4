/* merge_starts_test.c - launches of several program starts are merged */
#include "worker/capture/merge_starts.h"

#include <stdio.h>
#include <string.h>

#include "lib/capture/format/records.h"
#include "tests/support/unit.h"

static struct merge_starts *merge;

static int create(void **ctx)
{
    (void)ctx;
    merge = merge_starts_create();
    return 0;
}

static int destroy(void **ctx)
{
    (void)ctx;
    merge_starts_destroy(merge);
    return 0;
}

static bool launch(uint64_t number, const char *kernel, uint32_t order, uint32_t device)
{
    struct record_launch record = {.launch = number, .order = order, .device = device};

    snprintf(record.kernel, sizeof(record.kernel), "%s", kernel);
    return merge_starts_take(merge, RECORD_LAUNCH, &record, sizeof(record));
}

/* Returns the launch number that a pass of this launch gets; 0: not stored. */
static uint64_t pass(uint64_t number)
{
    struct record_pass record = {.launch = number};

    return merge_starts_take(merge, RECORD_PASS, &record, sizeof(record))
               ? record.launch
               : 0;
}

static void end(uint64_t number, uint32_t complete, const char *reason)
{
    struct record_launch_end record = {
        .launch = number, .complete = complete, .passes_done = complete};

    snprintf(record.reason, sizeof(record.reason), "%s", reason);
    assert_false(merge_starts_take(merge, RECORD_LAUNCH_END, &record, sizeof(record)));
}

static void a_launch_of_a_later_start_adds_its_pass_to_the_first(void **ctx)
{
    struct record_launch_end result;

    (void)ctx;
    assert_true(launch(5, "Add", 0, 0));
    assert_int_equal(pass(5), 5);
    end(5, 1, "");
    merge_starts_next(merge);
    assert_false(
        launch(9, "Add", 0, 0)); /* in this start another thread launched first */
    assert_int_equal(pass(9), 5);
    end(9, 1, "");
    assert_int_equal(merge_starts_launches(merge), 1);
    merge_starts_end(merge, 0, 2, &result);
    assert_int_equal(result.launch, 5);
    assert_int_equal(result.passes_done, 2);
    assert_int_equal(result.complete, 1);
    assert_string_equal(result.reason, "");
}

static void launches_are_identified_by_kernel_order_and_device(void **ctx)
{
    (void)ctx;
    assert_true(launch(1, "Add", 0, 0));
    assert_true(launch(2, "Add", 1, 0));
    assert_true(launch(3, "Mul", 0, 0));
    assert_true(launch(4, "Add", 0, 1));
    merge_starts_next(merge);
    assert_false(launch(11, "Add", 0, 1));
    assert_false(launch(12, "Mul", 0, 0));
    assert_false(launch(13, "Add", 1, 0));
    assert_false(launch(14, "Add", 0, 0));
    assert_int_equal(pass(11), 4);
    assert_int_equal(pass(12), 3);
    assert_int_equal(pass(13), 2);
    assert_int_equal(pass(14), 1);
    assert_int_equal(merge_starts_unmatched(merge), 0);
}

static void launches_unknown_to_the_first_start_are_dropped_and_counted(void **ctx)
{
    (void)ctx;
    assert_true(launch(1, "Add", 0, 0));
    merge_starts_next(merge);
    assert_false(launch(1, "Sub", 0, 0));
    assert_int_equal(pass(1), 0);
    end(1, 1, "");
    assert_int_equal(merge_starts_unmatched(merge), 1);
    assert_int_equal(merge_starts_launches(merge), 1);
}

static void a_launch_missing_in_one_start_is_incomplete(void **ctx)
{
    struct record_launch_end result;

    (void)ctx;
    assert_true(launch(1, "Add", 0, 0));
    assert_true(launch(2, "Mul", 0, 0));
    end(1, 1, "");
    end(2, 1, "");
    merge_starts_next(merge);
    launch(1, "Mul", 0, 0);
    end(1, 0, "the driver lost data");
    merge_starts_end(merge, 0, 2, &result);
    assert_int_equal(result.complete, 0);
    assert_string_equal(result.reason, "measured in 1 of 2 starts of the program");
    merge_starts_end(merge, 1, 2, &result);
    assert_int_equal(result.complete, 0);
    assert_string_equal(result.reason, "the driver lost data");
}

static void records_without_a_launch_are_unchanged(void **ctx)
{
    struct record_run_clock clock = {0};
    struct record_comm_group group = {0};

    (void)ctx;
    assert_true(merge_starts_take(merge, RECORD_RUN_CLOCK, &clock, sizeof(clock)));
    assert_true(merge_starts_take(merge, RECORD_COMM_GROUP, &group, sizeof(group)));
    merge_starts_next(merge);
    assert_true(merge_starts_take(merge, RECORD_RUN_CLOCK, &clock, sizeof(clock)));
    assert_false(merge_starts_take(merge, RECORD_COMM_GROUP, &group, sizeof(group)));
    assert_false(merge_starts_take(merge, RECORD_LAUNCH, &clock, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_launch_of_a_later_start_adds_its_pass_to_the_first, create, destroy),
        cmocka_unit_test_setup_teardown(
            launches_are_identified_by_kernel_order_and_device, create, destroy),
        cmocka_unit_test_setup_teardown(
            launches_unknown_to_the_first_start_are_dropped_and_counted, create,
            destroy),
        cmocka_unit_test_setup_teardown(a_launch_missing_in_one_start_is_incomplete,
                                        create, destroy),
        cmocka_unit_test_setup_teardown(records_without_a_launch_are_unchanged, create,
                                        destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
