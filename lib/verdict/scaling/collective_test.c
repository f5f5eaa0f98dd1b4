#include "lib/verdict/scaling/collective.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const double alpha = 5, beta = 1 / 28e3; /* us, and us per byte at 28 GB/s */
static const double bytes = 64 << 20;

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void a_ring_all_reduce_has_its_tabled_times(void **ctx)
{
    static const struct {
        double ranks, us, gigabytes;
    } rows[] = {{2, 2406.7, 27.88},
                {4, 3625.1, 27.77},
                {8, 4264.3, 27.54},
                {16, 4643.9, 27.10}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double time = collective_time(COLLECTIVE_ALLREDUCE_RING, rows[i].ranks, bytes,
                                      alpha, beta);

        near(time, rows[i].us, 0.051);
        near(collective_bus_bandwidth(COLLECTIVE_ALLREDUCE_RING, rows[i].ranks, bytes,
                                      time) /
                 1e3,
             rows[i].gigabytes, 0.0051);
    }
}

/* 8 ranks: 7 steps and 7/8 of the bytes in a ring, log2 is 3. */
static void each_algorithm_has_its_steps_and_bytes(void **ctx)
{
    static const struct {
        enum collective collective;
        double steps, share, bus;
    } rows[] = {
        {COLLECTIVE_ALLREDUCE_RING, 14, 1.75, 1.75},
        {COLLECTIVE_ALLREDUCE_HALVING_DOUBLING, 6, 1.75, 1.75},
        {COLLECTIVE_ALLREDUCE_RECURSIVE_DOUBLING, 3, 3, 1.75},
        {COLLECTIVE_ALLREDUCE_TREE, 6, 6, 1.75},
        {COLLECTIVE_ALLGATHER, 7, 0.875, 0.875},
        {COLLECTIVE_REDUCE_SCATTER, 7, 0.875, 0.875},
        {COLLECTIVE_ALLTO_ALL, 7, 0.875, 0.875},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        near(collective_time(rows[i].collective, 8, 100, 1, 0), rows[i].steps, 1e-12);
        near(collective_time(rows[i].collective, 8, 100, 0, 1), 100 * rows[i].share,
             1e-12);
        near(collective_bus_bandwidth(rows[i].collective, 8, 100, 10), 10 * rows[i].bus,
             1e-12);
    }
    near(collective_bus_bandwidth(COLLECTIVE_BROADCAST, 8, 100, 10), 10, 0);
}

static void latency_and_bandwidth_are_fitted_in_spite_of_an_outlier(void **ctx)
{
    double sizes[9], times[9];
    struct collective_fit fit;

    (void)ctx;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        sizes[i] = (double)(1 << (10 + 2 * i));
        times[i] = collective_time(COLLECTIVE_ALLGATHER, 16, sizes[i], alpha, beta);
    }
    times[4] *= 3;
    sizes[7] = NAN;
    times[8] = -1;
    assert_true(collective_fit(&fit, COLLECTIVE_ALLGATHER, 16, sizes, times, 9));
    near(fit.alpha, alpha, 1e-9);
    near(fit.beta, beta, 1e-15);
}

static void a_collective_without_a_model_is_refused(void **ctx)
{
    static const double sizes[] = {1, 2, 3}, times[] = {1, 2, 3};
    struct collective_fit fit;

    (void)ctx;
    assert_true(isnan(collective_time(COLLECTIVE_BROADCAST, 8, 1, 1, 1)));
    assert_true(isnan(collective_time(COLLECTIVE_ALLGATHER, 1, 1, 1, 1)));
    assert_true(isnan(collective_time(COLLECTIVE_ALLGATHER, NAN, 1, 1, 1)));
    assert_true(isnan(collective_bus_bandwidth(COLLECTIVE_ALLGATHER, 8, 1, 0)));
    assert_true(isnan(collective_bus_bandwidth(COLLECTIVE_ALLGATHER, 1, 1, 1)));
    assert_false(collective_fit(&fit, COLLECTIVE_BROADCAST, 8, sizes, times, 3));
    assert_false(collective_fit(&fit, COLLECTIVE_ALLGATHER, 1, sizes, times, 3));
    assert_false(collective_fit(&fit, COLLECTIVE_ALLGATHER, 8, sizes, times, 1));
    assert_false(collective_fit(&fit, COLLECTIVE_ALLGATHER, 8, NULL, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_all_reduce_has_its_tabled_times),
        cmocka_unit_test(each_algorithm_has_its_steps_and_bytes),
        cmocka_unit_test(latency_and_bandwidth_are_fitted_in_spite_of_an_outlier),
        cmocka_unit_test(a_collective_without_a_model_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
