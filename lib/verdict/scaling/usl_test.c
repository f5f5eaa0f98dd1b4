#include "lib/verdict/scaling/usl.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const struct usl_size curve[] = {{1, 1},
                                        {2, 1.938},
                                        {4, 3.634},
                                        {8, 6.35},
                                        {16, 9.42}};

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void a_known_curve_has_its_parameters(void **ctx)
{
    struct usl usl;

    (void)ctx;
    assert_true(usl_fit(&usl, curve, COUNT(curve)));
    near(usl.kappa, 0.000964, 5e-7);
    near(usl.sigma, 0.02989, 5e-6);
    near(usl.best, 31.7, 0.05);
    near(usl_capacity(&usl, 1), 1, 1e-15);
}

static void the_unit_of_the_throughput_does_not_matter(void **ctx)
{
    struct usl_size scaled[COUNT(curve)];
    struct usl usl, other;

    (void)ctx;
    for (size_t i = 0; i < COUNT(curve); i++)
        scaled[i] = (struct usl_size){curve[i].ranks, 1000 * curve[i].throughput};
    assert_true(usl_fit(&usl, curve, COUNT(curve)));
    assert_true(usl_fit(&other, scaled, COUNT(curve)));
    near(usl.kappa, other.kappa, 1e-12);
}

static void a_size_below_the_curve_is_the_bend(void **ctx)
{
    struct usl_size bent[COUNT(curve)];
    struct usl_bend bend;

    (void)ctx;
    for (size_t i = 0; i < COUNT(curve); i++)
        bent[i] = curve[i];
    bent[4].throughput = 6.9;
    assert_true(usl_find_bend(&bend, bent, COUNT(bent), log(1.02)));
    assert_int_equal(bend.index, 4);
    near(bend.without.sigma, 0.03028, 5e-6);
    near(bend.without.kappa, 0.000855, 5e-7);
    near(bend.predicted, 9.642, 5e-4);
    near(100 * expm1(bend.loss), 39.7, 0.05);
    assert_false(usl_find_bend(&bend, curve, COUNT(curve), log(1.05)));
}

static void linear_curves_have_no_best_size(void **ctx)
{
    static const struct usl_size linear[] = {{1, 2}, {2, 4}, {4, 8}, {8, 16}};
    struct usl usl;

    (void)ctx;
    assert_true(usl_fit(&usl, linear, COUNT(linear)));
    assert_true(usl.sigma == 0 && usl.kappa == 0 && isinf(usl.best));
}

static void too_few_and_unusable_sizes_are_refused(void **ctx)
{
    static const struct usl_size bad[] = {{1, 1},         {2, NAN}, {4, 0}, {8, -6},
                                          {16, INFINITY}, {NAN, 5}, {0, 5}};
    struct usl usl;
    struct usl_bend bend;

    (void)ctx;
    assert_false(usl_fit(&usl, bad, COUNT(bad)));
    assert_false(usl_fit(&usl, curve, 3));
    assert_false(usl_fit(&usl, curve + 1, 4)); /* without one rank */
    assert_false(usl_fit(&usl, NULL, 0));
    assert_false(usl_find_bend(&bend, curve, 4, 0.02));
    assert_false(usl_find_bend(&bend, NULL, 0, 0.02));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_curve_has_its_parameters),
        cmocka_unit_test(the_unit_of_the_throughput_does_not_matter),
        cmocka_unit_test(a_size_below_the_curve_is_the_bend),
        cmocka_unit_test(linear_curves_have_no_best_size),
        cmocka_unit_test(too_few_and_unusable_sizes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
