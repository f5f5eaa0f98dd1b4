#include "cli/view/task_rate.h"

#include "tests/support/unit.h"

static double per_second(const struct task_rate *pace)
{
    double rate = -1;

    return task_rate_per_second(pace, &rate) ? rate : -1;
}

static void two_looks_are_needed(void **ctx)
{
    struct task_rate pace = {0};

    (void)ctx;
    assert_true(per_second(&pace) < 0);
    task_rate_begin(&pace, 1000);
    task_rate_add(&pace, 1, 50, 100);
    assert_true(per_second(&pace) < 0); /* these may be old */
    task_rate_begin(&pace, 3000);
    task_rate_add(&pace, 1, 56, 100);
    assert_float_equal(per_second(&pace), 3, 1e-9);
    task_rate_clear(&pace);
}

static void a_job_that_came_and_one_that_went_count_what_is_known(void **ctx)
{
    struct task_rate pace = {0};

    (void)ctx;
    task_rate_begin(&pace, 0);
    task_rate_add(&pace, 1, 96, 100);
    task_rate_add(&pace, 2, 0, 7);
    task_rate_begin(&pace, 1000); /* 1 has ended */
    task_rate_add(&pace, 2, 1, 7);
    task_rate_add(&pace, 3, 40, 50); /* nobody saw it begin */
    assert_float_equal(per_second(&pace), 5, 1e-9);
    task_rate_begin(&pace, 2000);
    task_rate_add(&pace, 2, 0, 7); /* run again: less than before is nothing */
    task_rate_add(&pace, 3, 41, 50);
    assert_float_equal(per_second(&pace), 3, 1e-9);
    task_rate_clear(&pace);
}

static void what_was_long_ago_is_forgotten(void **ctx)
{
    struct task_rate pace = {0};
    uint64_t now = 0;

    (void)ctx;
    for (int i = 0; i < 100; i++, now += 1000) {
        task_rate_begin(&pace, now);
        task_rate_add(&pace, 1, i < 50 ? (uint64_t)i * 1000 : 50000, 100000);
    }
    assert_float_equal(per_second(&pace), 0, 1e-9);
    for (int i = 1; i <= 5; i++, now += 60000) { /* looks far apart: the last two */
        task_rate_begin(&pace, now);
        task_rate_add(&pace, 1, 50000 + (uint64_t)i * 600, 100000);
    }
    assert_float_equal(per_second(&pace), 10, 1e-9);
    task_rate_clear(&pace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_looks_are_needed),
        cmocka_unit_test(a_job_that_came_and_one_that_went_count_what_is_known),
        cmocka_unit_test(what_was_long_ago_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
