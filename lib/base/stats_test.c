#include "lib/base/stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const double values[] = {9, 1, 4, 2, 8, 5};

static void near(double value, double expected)
{
    if (fabs(value - expected) > 1e-12 * fabs(expected))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void statistics_of_a_small_sample_are_right(void **ctx)
{
    (void)ctx;
    near(stats_min(values, COUNT(values)), 1);
    near(stats_max(values, COUNT(values)), 9);
    near(stats_mean(values, COUNT(values)), 29.0 / 6);
    near(stats_median(values, COUNT(values)), 4.5);
    near(stats_median(values, 5), 4);
    near(stats_deviation(values, COUNT(values)), 3.1885210782848317);
    near(stats_mad(values, COUNT(values)), 3);
    near(stats_variation(values, COUNT(values)), 3.1885210782848317 * 6 / 29);
}

static void quantiles_lie_between_neighbours(void **ctx)
{
    (void)ctx;
    near(stats_quantile(values, COUNT(values), 0), 1);
    near(stats_quantile(values, COUNT(values), 1), 9);
    near(stats_quantile(values, COUNT(values), 0.25), 2.5);
    near(stats_quantile(values, COUNT(values), 0.9), 8.5);
    assert_true(isnan(stats_quantile(values, COUNT(values), 1.1)));
    assert_true(isnan(stats_quantile(values, COUNT(values), NAN)));
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Of sorted, equal, falling and random values, and of few different ones. */
static void a_quantile_is_what_sorting_gives(void **ctx)
{
    enum { MOST = 300 };
    double mixed[MOST], sorted[MOST];
    uint64_t random = 88172645463325252u;

    (void)ctx;
    for (int kind = 0; kind < 5; kind++)
        for (size_t count = 1; count <= MOST; count += 1 + count / 7) {
            for (size_t i = 0; i < count; i++) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                mixed[i] = (double[]){1.0 + (double)i, 7, -1.0 - (double)i,
                                      1.0 + (double)(random % 1000),
                                      1.0 + (double)(random % 3)}[kind];
            }
            memcpy(sorted, mixed, count * sizeof(*sorted));
            qsort(sorted, count, sizeof(*sorted), by_value);
            for (size_t place = 0; place < count; place++) {
                double q = count > 1 ? (double)place / (double)(count - 1) : 0;

                near(stats_quantile(mixed, count, q), sorted[place]);
            }
            near(stats_median(mixed, count),
                 (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
        }
}

static void an_empty_list_has_no_statistics(void **ctx)
{
    (void)ctx;
    assert_true(isnan(stats_min(NULL, 0)));
    assert_true(isnan(stats_max(NULL, 0)));
    assert_true(isnan(stats_mean(NULL, 0)));
    assert_true(isnan(stats_median(NULL, 0)));
    assert_true(isnan(stats_deviation(NULL, 0)));
    assert_true(isnan(stats_mad(NULL, 0)));
    assert_true(isnan(stats_variation(NULL, 0)));
}

static void one_value_has_no_spread(void **ctx)
{
    (void)ctx;
    near(stats_median(values, 1), 9);
    near(stats_mean(values, 1), 9);
    assert_true(stats_deviation(values, 1) == 0);
    assert_true(stats_mad(values, 1) == 0);
    assert_true(stats_variation(values, 1) == 0);
}

static void the_order_is_kept(void **ctx)
{
    double copy[COUNT(values)];

    (void)ctx;
    memcpy(copy, values, sizeof(copy));
    stats_mad(copy, COUNT(copy));
    assert_memory_equal(copy, values, sizeof(copy));
}

static void large_values_do_not_overflow_the_mean(void **ctx)
{
    const double large[] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX};

    (void)ctx;
    near(stats_mean(large, COUNT(large)), DBL_MAX);
}

static void a_mean_of_zero_has_no_variation(void **ctx)
{
    const double pair[] = {-1, 1};

    (void)ctx;
    assert_true(isnan(stats_variation(pair, COUNT(pair))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_of_a_small_sample_are_right),
        cmocka_unit_test(quantiles_lie_between_neighbours),
        cmocka_unit_test(a_quantile_is_what_sorting_gives),
        cmocka_unit_test(an_empty_list_has_no_statistics),
        cmocka_unit_test(one_value_has_no_spread),
        cmocka_unit_test(the_order_is_kept),
        cmocka_unit_test(large_values_do_not_overflow_the_mean),
        cmocka_unit_test(a_mean_of_zero_has_no_variation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
