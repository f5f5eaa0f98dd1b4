#include "lib/verdict/statistics/pairwise.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void differences_of_small_samples_are_listed(void **ctx)
{
    static const double base[] = {1, 2, 4}, fresh[] = {3, 8};
    /* -1 1 2 4 6 7 */
    struct pairwise_range range = pairwise_differences(base, 3, fresh, 2, 2);

    (void)ctx;
    assert_true(range.centre == 3);
    assert_true(range.low == 1 && range.high == 6);
}

static void averages_include_each_value_itself(void **ctx)
{
    static const double values[] = {0, 2, 10};
    /* 0 1 2 5 6 10 */
    struct pairwise_range range = pairwise_averages(values, 3, 1);

    (void)ctx;
    assert_true(range.centre == 3.5);
    assert_true(range.low == 0 && range.high == 10);
}

static void distances_are_taken_between_different_values(void **ctx)
{
    static const double values[] = {0, 1, 3, 10};
    /* 1 2 3 7 9 10 */
    (void)ctx;
    assert_true(pairwise_median_distance(values, 4) == 5);
    assert_true(isnan(pairwise_median_distance(values, 1)));
    assert_true(isnan(pairwise_median_distance(NULL, 0)));
}

static void there_is_no_interval_without_a_place(void **ctx)
{
    static const double base[] = {1, 2}, fresh[] = {3};
    struct pairwise_range none = pairwise_differences(base, 2, fresh, 1, 0);
    struct pairwise_range beyond = pairwise_differences(base, 2, fresh, 1, 3);
    struct pairwise_range empty = pairwise_differences(base, 2, NULL, 0, 1);

    (void)ctx;
    assert_true(none.centre == 1.5 && isnan(none.low) && isnan(none.high));
    assert_true(isnan(beyond.low) && isnan(beyond.high));
    assert_true(isnan(empty.centre));
    assert_true(isnan(pairwise_averages(NULL, 0, 1).centre));
}

static unsigned long long state = 88172645463325252ULL;

static double random_value(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state % 2001) / 100 - 10; /* with ties and both signs */
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double *random_sample(size_t count)
{
    double *values = xcalloc(count, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = random_value();
    qsort(values, count, sizeof(*values), by_value);
    return values;
}

/* 40 * 60 pairs are counted, not listed; sorting all of them gives the same values. */
static void counting_finds_the_same_values_as_sorting(void **ctx)
{
    enum { N = 40, M = 60 };
    double *base = random_sample(N), *fresh = random_sample(M);
    double *list = xcalloc(N * M, sizeof(*list));

    (void)ctx;
    for (size_t i = 0; i < N * M; i++)
        list[i] = fresh[i % M] - base[i / M];
    qsort(list, N * M, sizeof(*list), by_value);
    for (size_t k = 1; k <= N * M; k += 37) {
        struct pairwise_range range = pairwise_differences(base, N, fresh, M, k);

        assert_true(range.low == list[k - 1]);
        assert_true(range.high == list[N * M - k]);
        assert_true(range.centre == list[N * M / 2 - 1] / 2 + list[N * M / 2] / 2);
    }
    size_t count = 0;
    for (size_t i = 0; i < M; i++)
        for (size_t j = i; j < M; j++)
            list[count++] = fresh[i] / 2 + fresh[j] / 2;
    qsort(list, count, sizeof(*list), by_value);
    assert_true(pairwise_averages(fresh, M, 100).low == list[99]);
    assert_true(pairwise_averages(fresh, M, 100).high == list[count - 100]);
    count = 0;
    for (size_t i = 0; i < M; i++)
        for (size_t j = i + 1; j < M; j++)
            list[count++] = fresh[j] - fresh[i];
    qsort(list, count, sizeof(*list), by_value);
    assert_true(pairwise_median_distance(fresh, M) ==
                list[(count - 1) / 2] / 2 + list[count / 2] / 2);
    free(base);
    free(fresh);
    free(list);
}

static void a_huge_number_of_pairs_needs_no_memory(void **ctx)
{
    enum { COUNT_OF_VALUES = 100000 }; /* 1e10 pairs */
    double *values = xcalloc(COUNT_OF_VALUES, sizeof(*values));

    (void)ctx;
    for (size_t i = 0; i < COUNT_OF_VALUES; i++)
        values[i] = (double)i;
    struct pairwise_range range =
        pairwise_differences(values, COUNT_OF_VALUES, values, COUNT_OF_VALUES, 1);
    assert_true(range.centre == 0);
    assert_true(range.low == -99999 && range.high == 99999);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_of_small_samples_are_listed),
        cmocka_unit_test(averages_include_each_value_itself),
        cmocka_unit_test(distances_are_taken_between_different_values),
        cmocka_unit_test(there_is_no_interval_without_a_place),
        cmocka_unit_test(counting_finds_the_same_values_as_sorting),
        cmocka_unit_test(a_huge_number_of_pairs_needs_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
