#include "lib/verdict/sample.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void only_positive_finite_values_are_kept(void **ctx)
{
    static const double values[] = {3, NAN, 1, 0, -2, INFINITY, 2, 8};
    struct sample sample;

    (void)ctx;
    sample_init(&sample, values, COUNT(values), false);
    assert_int_equal(sample.count, 4);
    assert_int_equal(sample.dropped, 4);
    assert_false(sample.all_zero);
    assert_true(sample.values[0] == 1 && sample.values[3] == 8);
    assert_true(sample.logs[1] == log(2));
    assert_true(sample_median(&sample) == 2.5);
    sample_clear(&sample);
}

static void logarithms_are_turned_where_more_is_better(void **ctx)
{
    static const double values[] = {2, 4, 1};
    struct sample sample;

    (void)ctx;
    sample_init(&sample, values, COUNT(values), true);
    assert_true(sample.values[0] == 4 && sample.values[2] == 1);
    assert_true(sample.logs[0] == -log(4) && sample.logs[2] == 0);
    sample_clear(&sample);
}

static void empty_samples_and_zeros_have_no_median(void **ctx)
{
    static const double zeros[] = {0, 0};
    struct sample sample;

    (void)ctx;
    sample_init(&sample, NULL, 0, false);
    assert_true(isnan(sample_median(&sample)) && !sample.all_zero);
    sample_clear(&sample);
    sample_init(&sample, zeros, 2, false);
    assert_true(sample.all_zero && sample.count == 0 && sample.dropped == 2);
    sample_clear(&sample);
}

static void long_samples_are_sorted_too(void **ctx)
{
    double values[1000];
    struct sample sample;

    (void)ctx;
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = (double)(i * 7919 % 1000) + 1;
    sample_init(&sample, values, COUNT(values), false);
    for (size_t i = 0; i < COUNT(values); i++)
        assert_true(sample.values[i] == (double)(i + 1));
    sample_clear(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_positive_finite_values_are_kept),
        cmocka_unit_test(logarithms_are_turned_where_more_is_better),
        cmocka_unit_test(empty_samples_and_zeros_have_no_median),
        cmocka_unit_test(long_samples_are_sorted_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
