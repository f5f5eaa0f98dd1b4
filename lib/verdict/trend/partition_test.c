#include "lib/verdict/trend/partition.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { MOST = 300 };

static uint64_t state;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double plain_cost(const double *values, size_t start, size_t end)
{
    double mean = 0, cost = 0;

    for (size_t i = start; i < end; i++)
        mean += values[i] / (double)(end - start);
    for (size_t i = start; i < end; i++)
        cost += (values[i] - mean) * (values[i] - mean);
    return cost;
}

/* The same division without pruning and without sums: every start of every end. */
static size_t plain_partition(const double *values,
                              size_t count,
                              size_t shortest,
                              double penalty,
                              size_t *starts)
{
    double best[MOST + 1];
    size_t from[MOST + 1], reversed[MOST], found = 0;

    best[0] = -penalty;
    for (size_t end = 1; end <= count; end++) {
        best[end] = INFINITY;
        from[end] = 0;
        for (size_t start = 0; start + shortest <= end; start++) {
            if (start > 0 && start < shortest)
                continue;
            double total = best[start] + plain_cost(values, start, end) + penalty;
            if (total < best[end] - 1e-9) {
                best[end] = total;
                from[end] = start;
            }
        }
    }
    for (size_t end = count; end > 0; end = from[end])
        reversed[found++] = from[end];
    for (size_t i = 0; i < found; i++)
        starts[i] = reversed[found - 1 - i];
    return found;
}

static void pruning_finds_the_same_boundaries(void **ctx)
{
    size_t boundaries = 0;

    (void)ctx;
    state = 1234567;
    for (int series = 0; series < 300; series++) {
        size_t count = 3 + (size_t)(uniform() * 120), starts[MOST], expected[MOST];
        double values[MOST], level = 0;

        for (size_t i = 0; i < count; i++) {
            if (uniform() < 0.04)
                level = 8 * uniform() * (series % 4);
            values[i] = level + normal() + (series % 5 == 0 ? 0.05 * (double)i : 0);
        }
        double penalty = (series % 3 + 2) * log((double)count);
        size_t found = partition_find(values, count, 3, penalty, starts);
        size_t right = plain_partition(values, count, 3, penalty, expected);
        assert_int_equal(found, right);
        for (size_t i = 0; i < found; i++)
            assert_int_equal(starts[i], expected[i]);
        boundaries += found - 1;
    }
    assert_true(boundaries > 300);
}

static void short_series_have_one_segment(void **ctx)
{
    static const double values[] = {0, 0, 0, 100, 100, 100};
    size_t starts[2] = {7, 7};

    (void)ctx;
    assert_int_equal(partition_find(NULL, 0, 3, 1, starts), 0);
    assert_int_equal(partition_find(values, 1, 3, 1, starts), 1);
    assert_int_equal(partition_find(values, 5, 3, 1, starts), 1);
    assert_int_equal(starts[0], 0);
    assert_int_equal(partition_find(values, 6, 3, 1, starts), 2);
    assert_int_equal(starts[1], 3);
    assert_int_equal(partition_find(values, 6, 3, 1e9, starts), 1);
}

/* Without pruning 200,000 values would need 2e10 steps. */
static void a_long_series_with_changes_costs_linear_time(void **ctx)
{
    enum { LENGTH = 200000, LEVEL = 50 };
    double *values = xcalloc(LENGTH, sizeof(*values));
    size_t *starts = xcalloc(LENGTH, sizeof(*starts));

    (void)ctx;
    state = 99;
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = (double)(i / LEVEL % 2) * 40 + normal();
    size_t found = partition_find(values, LENGTH, 3, 4 * log(LENGTH), starts);
    assert_int_equal(found, LENGTH / LEVEL);
    for (size_t i = 0; i < found; i++)
        assert_int_equal(starts[i], i * LEVEL);
    free(values);
    free(starts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pruning_finds_the_same_boundaries),
        cmocka_unit_test(short_series_have_one_segment),
        cmocka_unit_test(a_long_series_with_changes_costs_linear_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
