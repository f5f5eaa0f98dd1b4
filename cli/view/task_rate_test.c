#include "cli/view/task_rate.h"

#include "tests/support/unit.h"

static double per_second(const struct task_rate *rate)
{
    double value = -1;

    return task_rate_per_second(rate, &value) ? value : -1;
}

static void the_rate_needs_two_samples(void **ctx)
{
    struct task_rate rate = {0};

    (void)ctx;
    assert_true(per_second(&rate) < 0);
    task_rate_begin(&rate, 1000);
    task_rate_add(&rate, 1, 50, 100);
    assert_true(per_second(&rate) <
                0); /* tasks that ended before the first sample do not count */
    task_rate_begin(&rate, 3000);
    task_rate_add(&rate, 1, 56, 100);
    assert_float_equal(per_second(&rate), 3, 1e-9);
    task_rate_clear(&rate);
}

static void
a_new_job_counts_from_its_first_sample_and_a_missing_job_as_finished(void **ctx)
{
    struct task_rate rate = {0};

    (void)ctx;
    task_rate_begin(&rate, 0);
    task_rate_add(&rate, 1, 96, 100);
    task_rate_add(&rate, 2, 0, 7);
    task_rate_begin(&rate, 1000); /* 1 has ended */
    task_rate_add(&rate, 2, 1, 7);
    task_rate_add(&rate, 3, 40, 50); /* its 40 ended tasks do not count */
    assert_float_equal(per_second(&rate), 5, 1e-9);
    task_rate_begin(&rate, 2000);
    task_rate_add(&rate, 2, 0, 7); /* a retry lowers the number: counts 0 */
    task_rate_add(&rate, 3, 41, 50);
    assert_float_equal(per_second(&rate), 3, 1e-9);
    task_rate_clear(&rate);
}

static void the_rate_uses_the_last_ten_seconds_only(void **ctx)
{
    struct task_rate rate = {0};
    uint64_t now = 0;

    (void)ctx;
    for (int i = 0; i < 100; i++, now += 1000) {
        task_rate_begin(&rate, now);
        task_rate_add(&rate, 1, i < 50 ? (uint64_t)i * 1000 : 50000, 100000);
    }
    assert_float_equal(per_second(&rate), 0, 1e-9);
    for (int i = 1; i <= 5; i++, now += 60000) { /* samples far apart: the last two */
        task_rate_begin(&rate, now);
        task_rate_add(&rate, 1, 50000 + (uint64_t)i * 600, 100000);
    }
    assert_float_equal(per_second(&rate), 10, 1e-9);
    task_rate_clear(&rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_needs_two_samples),
        cmocka_unit_test(
            a_new_job_counts_from_its_first_sample_and_a_missing_job_as_finished),
        cmocka_unit_test(the_rate_uses_the_last_ten_seconds_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
