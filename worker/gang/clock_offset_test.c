#include "worker/gang/clock_offset.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static void without_a_sample_the_offset_is_unknown(void **ctx)
{
    struct clock_offset clock = {0};
    int64_t offset;
    uint64_t uncertainty;

    (void)ctx;
    assert_false(clock_offset_get(&clock, &offset, &uncertainty));
    assert_int_equal(clock_offset_round(&clock), 0);
    assert_int_equal(clock_offset_here(&clock, 5000, 77), 77);
    clock_offset_add(&clock, 100, 5000, 99); /* received before it was sent */
    assert_false(clock_offset_get(&clock, &offset, &uncertainty));
}

static void the_shortest_round_trip_counts(void **ctx)
{
    struct clock_offset clock = {0};
    int64_t offset;
    uint64_t uncertainty;

    (void)ctx;
    clock_offset_add(&clock, 1000, 51500, 3000); /* round trip of 2000, uneven */
    clock_offset_add(&clock, 4000, 54010, 4020);
    clock_offset_add(&clock, 5000, 56900, 7000);
    assert_true(clock_offset_get(&clock, &offset, &uncertainty));
    assert_int_equal(offset, 50000);
    assert_int_equal(uncertainty, 11);
    assert_int_equal(clock_offset_round(&clock), 20);
    assert_int_equal(clock_offset_here(&clock, 60000, 1), 10000);
}

static void a_slow_coordinator_clock_has_a_negative_offset(void **ctx)
{
    struct clock_offset clock = {0};
    int64_t offset;
    uint64_t uncertainty;

    (void)ctx;
    clock_offset_add(&clock, 1000000, 10, 1000020);
    assert_true(clock_offset_get(&clock, &offset, &uncertainty));
    assert_int_equal(offset, -1000000);
    assert_int_equal(clock_offset_here(&clock, 500, 1), 1000500);
}

static void old_samples_leave_the_window(void **ctx)
{
    struct clock_offset clock = {0};

    (void)ctx;
    clock_offset_add(&clock, 0, 1000, 2);
    for (uint64_t i = 0; i < CLOCK_OFFSET_WINDOW; i++) {
        assert_int_equal(clock_offset_round(&clock), 2);
        clock_offset_add(&clock, 100, 1000, 200);
    }
    assert_int_equal(clock_offset_round(&clock), 100);
}

/* The true offset is within the uncertainty for any division of the round trip. */
static void the_true_offset_is_within_the_uncertainty(void **ctx)
{
    (void)ctx;
    srand(1);
    for (int round = 0; round < 1000; round++) {
        struct clock_offset clock = {0};
        int64_t truth = (int64_t)rand() * 1000 - 500000000, offset;
        uint64_t uncertainty, now = 4000000000u;

        for (int i = 0; i < 40; i++) {
            uint64_t there = (uint64_t)rand() % 100000,
                     back = (uint64_t)rand() % 100000;

            clock_offset_add(&clock, now, now + there + (uint64_t)truth,
                             now + there + back);
            now += 1000000;
            assert_true(clock_offset_get(&clock, &offset, &uncertainty));
            assert_true(llabs(offset - truth) <= (long long)uncertainty);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_sample_the_offset_is_unknown),
        cmocka_unit_test(the_shortest_round_trip_counts),
        cmocka_unit_test(a_slow_coordinator_clock_has_a_negative_offset),
        cmocka_unit_test(old_samples_leave_the_window),
        cmocka_unit_test(the_true_offset_is_within_the_uncertainty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
