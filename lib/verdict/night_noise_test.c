#include "lib/verdict/night_noise.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/verdict/shift.h"
#include "tests/support/unit.h"

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void quiet_and_noisy_nights_have_their_tabled_terms(void **ctx)
{
    static const double quiet[] = {100.0, 100.4, 99.8, 100.2, 99.9,
                                   100.6, 100.1, 99.7, 100.3, 100.0};
    static const double noisy[] = {100, 103, 98.5, 101, 99, 104, 97.5, 102};
    struct night_noise noise = night_noise_of(quiet, COUNT(quiet), 0);

    (void)ctx;
    assert_true(noise.known);
    near(100 * noise.s, 0.3140, 5e-5);
    near(shift_percent(noise.h), 0.934, 5e-4);
    near(shift_percent(noise.w), 0.606, 5e-4);
    noise = night_noise_of(noisy, COUNT(noisy), 0);
    near(100 * noise.s, 2.641, 5e-4);
    near(shift_percent(noise.h), 8.760, 5e-4);
    near(shift_percent(noise.w), 5.450, 5e-4);
}

static void the_factors_of_s_fall_with_the_nights(void **ctx)
{
    static const struct {
        size_t nights;
        double h, w;
    } rows[] = {
        {5, 4.105, 2.335},  {6, 3.635, 2.177},  {7, 3.360, 2.077},  {8, 3.180, 2.010},
        {10, 2.959, 1.923}, {14, 2.743, 1.833}, {20, 2.602, 1.772}, {30, 2.503, 1.727},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double medians[30];

        for (size_t j = 0; j < rows[i].nights; j++)
            medians[j] = 100 + (double)(j * j % 7);
        struct night_noise noise = night_noise_of(medians, rows[i].nights, 0);
        near(noise.h / noise.s, rows[i].h, 5e-4);
        near(noise.w / noise.s, rows[i].w, 5e-4);
    }
}

static void a_base_of_one_night_has_wider_terms(void **ctx)
{
    static const double nights[] = {100, 103, 98.5, 101, 99, 104, 97.5, 102};
    struct night_noise all = night_noise_of(nights, COUNT(nights), 0);
    struct night_noise one = night_noise_of(nights, COUNT(nights), 1);

    (void)ctx;
    near(one.h / all.h, sqrt(2 / 1.125), 1e-12);
    near(one.w / all.w, sqrt(2 / 1.125), 1e-12);
    assert_true(night_noise_of(nights, COUNT(nights), 99).h == all.h);
}

static void four_nights_are_too_few(void **ctx)
{
    static const double nights[] = {100, 101, NAN, 99, 0, 102, -3, INFINITY};
    struct night_noise noise = night_noise_of(nights, COUNT(nights), 0);

    (void)ctx;
    assert_false(noise.known);
    assert_int_equal(noise.nights, 4);
    assert_true(noise.s == 0 && noise.h == 0 && noise.w == 0);
    assert_false(night_noise_of(NULL, 0, 0).known);
}

static void equal_nights_are_without_noise(void **ctx)
{
    static const double nights[] = {7, 7, 7, 7, 7};
    struct night_noise noise = night_noise_of(nights, COUNT(nights), 0);

    (void)ctx;
    assert_true(noise.known && noise.h == 0 && noise.w == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_and_noisy_nights_have_their_tabled_terms),
        cmocka_unit_test(the_factors_of_s_fall_with_the_nights),
        cmocka_unit_test(a_base_of_one_night_has_wider_terms),
        cmocka_unit_test(four_nights_are_too_few),
        cmocka_unit_test(equal_nights_are_without_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
