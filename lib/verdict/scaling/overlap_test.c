#include "lib/verdict/scaling/overlap.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void six_repeats_have_a_centre_and_an_interval(void **ctx)
{
    static const struct overlap_times repeats[] = {
        {131.2, 112.0, 46.0, 159.0}, {130.8, 111.8, 45.8, 158.6},
        {131.6, 112.4, 46.4, 159.8}, {131.0, 112.2, 46.2, 159.2},
        {130.6, 111.6, 45.6, 158.2}, {131.4, 112.0, 46.2, 159.4},
    };
    static const double each[] = {.5915, .5940, .5949, .6000, .5923, .5907};
    struct overlap overlap = overlap_of(repeats, COUNT(repeats));

    (void)ctx;
    near(overlap.efficiency.centre, 0.5932, 5e-5);
    near(overlap.efficiency.low, 0.5915, 5e-5);
    near(overlap.efficiency.high, 0.5970, 5e-5);
    near(overlap.attained.centre, overlap.efficiency.centre, 1e-15);
    assert_int_equal(overlap.attained.repeats, 6);
    for (size_t i = 0; i < COUNT(each); i++)
        near(overlap_of(&repeats[i], 1).efficiency.centre, each[i], 5e-5);
}

static void long_communication_has_a_lower_ceiling(void **ctx)
{
    static const struct overlap_times ceiling = {100, 40, 100, 142};
    static const struct overlap_times fused = {110, 40, 100, 142};
    static const struct overlap_times slower = {150, 40, 100, 142};

    (void)ctx;
    near(overlap_of(&ceiling, 1).efficiency.centre, 0.412, 5e-4);
    near(overlap_of(&ceiling, 1).attained.centre, 1, 1e-15);
    near(overlap_of(&fused, 1).efficiency.centre, 0.314, 5e-4);
    near(overlap_of(&fused, 1).attained.centre, 0.762, 5e-4);
    assert_true(overlap_of(&slower, 1).efficiency.centre < 0);
}

static void repeats_without_a_figure_are_left_out(void **ctx)
{
    static const struct overlap_times repeats[] = {
        {131.2, 112.0, 46.0, 112.0}, {NAN, 112.0, 46.0, 159.0},
        {131.2, 0, 46.0, 159.0},     {131.2, 112.0, -1, 159.0},
        {131.2, 112, 46, INFINITY},  {131.2, 112.0, 46.0, 159.0},
    };
    struct overlap overlap = overlap_of(repeats, COUNT(repeats));

    (void)ctx;
    assert_int_equal(overlap.efficiency.repeats, 1);
    assert_true(isnan(overlap.efficiency.low));
    assert_true(isnan(overlap_of(NULL, 0).attained.centre));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_repeats_have_a_centre_and_an_interval),
        cmocka_unit_test(long_communication_has_a_lower_ceiling),
        cmocka_unit_test(repeats_without_a_figure_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
