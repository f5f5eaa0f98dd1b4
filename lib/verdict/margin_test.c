#include "lib/verdict/margin.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/verdict/night_noise.h"
#include "tests/support/unit.h"

static void two_ticks_are_the_least_margin(void **ctx)
{
    (void)ctx;
    assert_true(fabs(margin_of(0.02, 0.02, 0.80, NULL).delta - log(1.05)) < 1e-15);
    assert_true(fabs(margin_of(0.02, 0.02, 100, NULL).delta - log(1.02)) < 1e-15);
    assert_true(margin_of(0.02, 0.02, 100, NULL).nights_known);
}

static void night_noise_raises_the_change_and_widens_the_interval(void **ctx)
{
    const struct night_noise nights = {true, 8, 0.03, 0.09, 0.06};
    const struct night_noise unknown = {.nights = 3};
    struct margin margin = margin_of(0.02, 0, 100, &nights);

    (void)ctx;
    assert_true(margin.delta == log1p(0.02));
    assert_true(margin.change == 0.09 && margin.inside == 0.06);
    assert_true(margin_of(0.5, 0, 100, &nights).change == log1p(0.5));
    margin = margin_of(0.02, 0, 100, &unknown);
    assert_false(margin.nights_known);
    assert_true(margin.change == margin.delta && margin.inside == 0);
}

static void unusable_settings_count_as_zero(void **ctx)
{
    (void)ctx;
    assert_true(margin_of(-1, -1, 100, NULL).delta == 0);
    assert_true(margin_of(NAN, NAN, 100, NULL).delta == 0);
    assert_true(margin_of(INFINITY, INFINITY, 100, NULL).delta == 0);
    assert_true(margin_of(0.02, 0.02, NAN, NULL).delta == log1p(0.02));
    assert_true(margin_of(0.02, 0.02, 0, NULL).delta == log1p(0.02));
    assert_true(margin_of(0.02, 1e300, 1e-300, NULL).delta == log1p(0.02));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ticks_are_the_least_margin),
        cmocka_unit_test(night_noise_raises_the_change_and_widens_the_interval),
        cmocka_unit_test(unusable_settings_count_as_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
