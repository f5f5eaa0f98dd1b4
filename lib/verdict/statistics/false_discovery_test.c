#include "lib/verdict/statistics/false_discovery.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void a_family_of_ten_is_adjusted_as_on_paper(void **ctx)
{
    static const double p[] = {.0002, .0011, .0040, .0090, .0120,
                               .0190, .0310, .21,   .48,   .90};
    static const double expected[] = {.0020,  .0055,  .01333, .0225,  .0240,
                                      .03167, .04429, .2625,  .53333, .9};
    double adjusted[COUNT(p)];
    size_t rejected = 0;

    (void)ctx;
    false_discovery_adjust(p, COUNT(p), adjusted);
    for (size_t i = 0; i < COUNT(p); i++) {
        assert_true(fabs(adjusted[i] - expected[i]) < 5e-6);
        rejected += adjusted[i] <= 0.05;
    }
    assert_int_equal(rejected, 7);
}

static void the_order_of_the_input_is_kept(void **ctx)
{
    double p[] = {0.04, 0.01, NAN, 0.03, 0.04};

    (void)ctx;
    false_discovery_adjust(p, COUNT(p), p);
    assert_true(fabs(p[0] - 0.04) < 1e-15);
    assert_true(fabs(p[1] - 0.04) < 1e-15); /* 0.01 * 4 / 1 */
    assert_true(isnan(p[2]));
    assert_true(fabs(p[3] - 0.04) < 1e-15);
    assert_true(fabs(p[4] - 0.04) < 1e-15);
}

static void adjusted_values_are_at_most_one(void **ctx)
{
    double p[] = {0.9, 0.8}, none = NAN;

    (void)ctx;
    false_discovery_adjust(p, COUNT(p), p);
    assert_true(p[0] == 0.9 && p[1] == 0.9);
    false_discovery_adjust(NULL, 0, NULL);
    false_discovery_adjust(&none, 1, &none);
    assert_true(isnan(none));
}

static void the_factor_for_any_dependence_is_the_harmonic_number(void **ctx)
{
    (void)ctx;
    assert_true(fabs(false_discovery_dependence(10) - 2.928968) < 1e-6);
    assert_true(false_discovery_dependence(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_family_of_ten_is_adjusted_as_on_paper),
        cmocka_unit_test(the_order_of_the_input_is_kept),
        cmocka_unit_test(adjusted_values_are_at_most_one),
        cmocka_unit_test(the_factor_for_any_dependence_is_the_harmonic_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
