#include "lib/verdict/statistics/rank_sum.h"

#include <math.h>
#include <stdlib.h>

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
        {2, 6, 0, 0},           {3, 20, 1, 0.9000},       {4, 70, 2, 0.9429},
        {5, 252, 5, 0.9048},    {6, 924, 8, 0.9069},      {7, 3432, 12, 0.9027},
        {8, 12870, 16, 0.9170}, {10, 184756, 28, 0.9108}, {12, 2704156, 43, 0.9113},
    };
    struct rank_sum_cache *cache = rank_sum_cache_create();

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t n = rows[i].n, k = rank_sum_interval(cache, n, n, 0.05);

        near(rank_sum_probability(n, n, 0), 1 / (double)rows[i].ways, 1e-18);
        assert_int_equal(k, rows[i].k);
        if (k)
            near(1 - 2 * rank_sum_probability(n, n, k - 1), rows[i].coverage, 5e-5);
    }
    assert_int_equal(rank_sum_interval(cache, 15, 5, 0.05), 19);
    assert_int_equal(rank_sum_interval(cache, 5, 15, 0.05), 19);
    assert_int_equal(rank_sum_interval(cache, 7, 7, 0.025), 9); /* 95 %: as tabled */
    assert_int_equal(rank_sum_interval(cache, 0, 7, 0.05), 0);
    rank_sum_cache_destroy(cache);
}

static void ties_share_their_ranks(void **ctx)
{
    static const double base[] = {0, 0, 2, 2, 2}, fresh[] = {2, 2, 4, 4, 4};
    static const double equal[] = {1, 1, 1};
    struct rank_sum_cache *cache = rank_sum_cache_create();
    struct rank_sum_p p = rank_sum_test(cache, base, 5, fresh, 5);

    (void)ctx;
    near(p.above, 5.0 / 126, 1e-16);
    near(p.below, 1, 0);
    p = rank_sum_test(cache, equal, 3, equal, 3);
    assert_true(p.above == 1 && p.below == 1);
    p = rank_sum_test(cache, NULL, 0, equal, 3);
    assert_true(p.above == 1 && p.below == 1);
    rank_sum_cache_destroy(cache);
}

/* Each of the C(9, 4) choices of four of nine pooled values is enumerated. */
static void every_choice_has_the_enumerated_probability(void **ctx)
{
    static const double pooled[] = {1, 2, 2, 2, 3, 5, 5, 6, 7};
    static const int ranks[] = {2, 6, 6, 6, 10, 13, 13, 16, 18}; /* doubled */
    struct rank_sum_cache *cache = rank_sum_cache_create();

    (void)ctx;
    for (int chosen = 0; chosen < 1 << 9; chosen++) {
        double base[9], fresh[9];
        size_t n = 0, m = 0;
        int sum = 0, above = 0, below = 0, ways = 0;

        if (__builtin_popcount((unsigned)chosen) != 4)
            continue;
        for (int i = 0; i < 9; i++) {
            if (chosen >> i & 1) {
                fresh[m++] = pooled[i];
                sum += ranks[i];
            } else {
                base[n++] = pooled[i];
            }
        }
        for (int other = 0; other < 1 << 9; other++) {
            int other_sum = 0;

            if (__builtin_popcount((unsigned)other) != 4)
                continue;
            for (int i = 0; i < 9; i++)
                other_sum += other >> i & 1 ? ranks[i] : 0;
            ways++;
            above += other_sum >= sum;
            below += other_sum <= sum;
        }
        struct rank_sum_p p = rank_sum_test(cache, base, n, fresh, m);
        near(p.above, (double)above / ways, 1e-16);
        near(p.below, (double)below / ways, 1e-16);
        struct rank_sum_p turned = rank_sum_test(cache, fresh, m, base, n);
        near(turned.above, p.below, 1e-16);
        near(turned.below, p.above, 1e-16);
    }
    rank_sum_cache_destroy(cache);
}

/* 20 + 20 is exact and 21 + 20 is not: both must agree about similar samples. */
static void the_normal_distribution_continues_the_exact_one(void **ctx)
{
    double base[21], fresh[20];
    struct rank_sum_cache *cache = rank_sum_cache_create();

    (void)ctx;
    for (int i = 0; i < 20; i++) {
        base[i] = i;
        fresh[i] = i + 4.5;
    }
    base[20] = 9.75;
    struct rank_sum_p exact = rank_sum_test(cache, base, 20, fresh, 20);
    struct rank_sum_p approximate = rank_sum_test(cache, base, 21, fresh, 20);
    near(approximate.above, exact.above, 0.003);
    near(approximate.below, exact.below, 0.003);
    assert_int_equal(rank_sum_interval(cache, 20, 20, 0.05), 139);
    assert_int_equal(rank_sum_interval(cache, 20, 21, 0.05),
                     146); /* 147 if it were exact */
    rank_sum_cache_destroy(cache);
}

/* 10 + 31 values, two groups of ties: W = 297.5, mean 210, variance 1076.92. */
static void the_normal_test_corrects_for_ties(void **ctx)
{
    double base[31], fresh[10];
    struct rank_sum_cache *cache = rank_sum_cache_create();

    (void)ctx;
    for (int i = 0; i < 31; i++)
        base[i] = i < 20 ? 1 : 2;
    for (int i = 0; i < 10; i++)
        fresh[i] = i < 1 ? 1 : 2;
    struct rank_sum_p p = rank_sum_test(cache, base, 31, fresh, 10);
    double ties = 21.0 * 21 * 21 - 21 + 20.0 * 20 * 20 - 20;
    double variance = 310.0 / 12 * (42 - ties / (41.0 * 40));
    double sum = 11 + 9 * 31.5;
    near(p.above, erfc((sum - 210 - 0.5) / sqrt(variance) / sqrt(2)) / 2, 1e-15);
    near(p.below, 1 - erfc((sum - 210 + 0.5) / sqrt(variance) / sqrt(2)) / 2, 1e-15);
    for (int i = 0; i < 10; i++)
        fresh[i] = 1;
    for (int i = 0; i < 31; i++)
        base[i] = 1;
    p = rank_sum_test(cache, base, 31, fresh, 10);
    assert_true(p.above == 1 && p.below == 1);
    rank_sum_cache_destroy(cache);
}

static void a_full_cache_gives_the_same_answers(void **ctx)
{
    struct rank_sum_cache *cache = rank_sum_cache_create();

    (void)ctx;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned pattern = 0; pattern < 2048; pattern++) {
            double pooled[12];

            pooled[0] = 0;
            for (unsigned i = 1; i < 12; i++)
                pooled[i] = pooled[i - 1] + (pattern >> (i - 1) & 1 ? 0 : 1);
            struct rank_sum_cache *own = rank_sum_cache_create();
            struct rank_sum_p expected = rank_sum_test(own, pooled, 5, pooled + 5, 7);
            struct rank_sum_p p = rank_sum_test(cache, pooled, 5, pooled + 5, 7);
            assert_true(p.above == expected.above && p.below == expected.below);
            rank_sum_cache_destroy(own);
        }
    rank_sum_cache_destroy(cache);
    rank_sum_cache_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_samples_have_the_tabled_limits),
        cmocka_unit_test(ties_share_their_ranks),
        cmocka_unit_test(every_choice_has_the_enumerated_probability),
        cmocka_unit_test(the_normal_distribution_continues_the_exact_one),
        cmocka_unit_test(the_normal_test_corrects_for_ties),
        cmocka_unit_test(a_full_cache_gives_the_same_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
