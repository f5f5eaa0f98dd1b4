#include "lib/verdict/statistics/signed_rank.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void small_samples_have_the_tabled_limits(void **ctx)
{
    static const struct {
        size_t n, ways, k;
        double coverage;
    } rows[] = {
        {5, 32, 1, 0.9375},     {6, 64, 3, 0.9063},      {7, 128, 4, 0.9219},
        {8, 256, 6, 0.9219},    {9, 512, 9, 0.9023},     {10, 1024, 11, 0.9160},
        {12, 4096, 18, 0.9077}, {16, 65536, 36, 0.9066},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(signed_rank_interval(rows[i].n, 0.05), rows[i].k);
        near(signed_rank_probability(rows[i].n, 0), 1 / (double)rows[i].ways, 1e-18);
        near(1 - 2 * signed_rank_probability(rows[i].n, rows[i].k - 1),
             rows[i].coverage, 5.1e-5);
    }
    assert_int_equal(signed_rank_interval(4, 0.05), 0);
    assert_int_equal(signed_rank_interval(0, 0.05), 0);
}

/* All 2^8 signs of tied distances are enumerated. */
static void every_sign_has_the_enumerated_probability(void **ctx)
{
    static const double sizes[] = {1, 1, 2, 3, 3, 3, 4, 7};
    static const int ranks[] = {3, 3, 6, 10, 10, 10, 14, 16}; /* doubled */

    (void)ctx;
    for (int signs = 0; signs < 256; signs++) {
        double values[10] = {0, 0};
        int sum = 0, above = 0, below = 0;

        for (int i = 0; i < 8; i++) {
            values[i + 2] = signs >> i & 1 ? sizes[i] : -sizes[i];
            sum += signs >> i & 1 ? ranks[i] : 0;
        }
        for (int other = 0; other < 256; other++) {
            int other_sum = 0;

            for (int i = 0; i < 8; i++)
                other_sum += other >> i & 1 ? ranks[i] : 0;
            above += other_sum >= sum;
            below += other_sum <= sum;
        }
        struct signed_rank_p p = signed_rank_test(values, 10, 0);
        near(p.above, above / 256.0, 1e-16);
        near(p.below, below / 256.0, 1e-16);
    }
}

static void distances_within_the_resolution_are_ties(void **ctx)
{
    static const double values[] = {0.1, 0.1 + 1e-12, -0.1, 1e-13};
    /* three distances of one size: ranks 2 2 2, sum of the positive ones 4 */
    struct signed_rank_p p = signed_rank_test(values, 4, 1e-9);

    (void)ctx;
    near(p.above, 4 / 8.0, 1e-16);
    near(p.below, 7 / 8.0, 1e-16);
}

static void without_differences_nothing_is_shown(void **ctx)
{
    static const double zeros[] = {0, -0.0};
    struct signed_rank_p p = signed_rank_test(zeros, 2, 0);

    (void)ctx;
    assert_true(p.above == 1 && p.below == 1);
    p = signed_rank_test(NULL, 0, 0);
    assert_true(p.above == 1 && p.below == 1);
}

static void the_normal_distribution_continues_the_exact_one(void **ctx)
{
    double values[51];

    (void)ctx;
    for (int i = 0; i < 51; i++)
        values[i] = i % 3 ? i + 1 : -(i + 1);
    struct signed_rank_p exact = signed_rank_test(values, 50, 0);
    struct signed_rank_p approximate = signed_rank_test(values, 51, 0);
    /* The last value is positive, so the second sum is a little higher. */
    near(approximate.above, exact.above, 0.02);
    assert_true(approximate.above < exact.above);
    assert_int_equal(signed_rank_interval(50, 0.05), 467);
    assert_int_equal(signed_rank_interval(51, 0.05), 487); /* so is the exact one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_samples_have_the_tabled_limits),
        cmocka_unit_test(every_sign_has_the_enumerated_probability),
        cmocka_unit_test(distances_within_the_resolution_are_ties),
        cmocka_unit_test(without_differences_nothing_is_shown),
        cmocka_unit_test(the_normal_distribution_continues_the_exact_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
