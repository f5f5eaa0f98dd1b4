#include "lib/verdict/statistics/theil_sen.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "tests/support/unit.h"

static void an_outlier_does_not_move_the_line(void **ctx)
{
    static const double x[] = {0, 1, 2, 3, 4, 5, 6};
    static const double y[] = {1, 3, 5, 100, 9, 11, 13};
    struct line line = theil_sen_fit(x, y, COUNT(x));

    (void)ctx;
    assert_true(fabs(line.slope - 2) < 1e-15);
    assert_true(fabs(line.intercept - 1) < 1e-15);
}

/* Fifty points with ties: the slope is the median that sorting all 1,225 slopes gives.
 */
static void the_slope_is_the_exact_median(void **ctx)
{
    double x[50], y[50], slopes[1225];
    size_t count = 0;

    (void)ctx;
    for (size_t i = 0; i < 50; i++) {
        x[i] = (double)i;
        y[i] = (double)(i * i * 7919 % 101);
        for (size_t j = 0; j < i; j++)
            slopes[count++] = (y[i] - y[j]) / (x[i] - x[j]);
        struct line line = theil_sen_fit(x, y, i + 1);
        assert_true(i == 0 || fabs(line.slope - stats_median(slopes, count)) < 1e-15);
    }
}

static void points_above_each_other_have_no_line(void **ctx)
{
    static const double x[] = {2, 2}, y[] = {1, 3};

    (void)ctx;
    assert_true(isnan(theil_sen_fit(x, y, 2).slope));
    assert_true(isnan(theil_sen_fit(x, y, 1).intercept));
    assert_true(isnan(theil_sen_fit(NULL, NULL, 0).slope));
}

static void a_long_series_is_fitted_with_distant_pairs(void **ctx)
{
    enum { LENGTH = 20001 };
    double *x = xcalloc(LENGTH, sizeof(*x)), *y = xcalloc(LENGTH, sizeof(*y));

    (void)ctx;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = i;
        y[i] = 7 - 0.25 * i + (i % 10 == 3 ? 1e6 : 0);
    }
    struct line line = theil_sen_fit(x, y, LENGTH);
    assert_true(fabs(line.slope + 0.25) < 1e-9);
    assert_true(fabs(line.intercept - 7) < 1e-6);
    free(x);
    free(y);
}

/* Five rising values: S = 10, variance = 5 * 4 * 15 / 18 = 16.667. */
static void a_trend_has_a_small_probability(void **ctx)
{
    static const double rising[] = {1, 2, 3, 4, 5}, ties[] = {1, 1, 2, 2},
                        flat[] = {4, 4, 4, 4}, falling[] = {5, 4, 3, 2, 1};

    (void)ctx;
    assert_true(fabs(mann_kendall_p(rising, 5) - 0.0274863361) < 1e-9);
    assert_true(mann_kendall_p(falling, 5) == mann_kendall_p(rising, 5));
    /* S = 4, variance = (4 * 3 * 13 - 2 * 2 * 9) / 18 = 6.667 */
    assert_true(fabs(mann_kendall_p(ties, 4) - 0.2452781168) < 1e-9);
    assert_true(mann_kendall_p(flat, 4) == 1);
    assert_true(mann_kendall_p(rising, 2) == 1);
    assert_true(mann_kendall_p(NULL, 0) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outlier_does_not_move_the_line),
        cmocka_unit_test(the_slope_is_the_exact_median),
        cmocka_unit_test(points_above_each_other_have_no_line),
        cmocka_unit_test(a_long_series_is_fitted_with_distant_pairs),
        cmocka_unit_test(a_trend_has_a_small_probability),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
