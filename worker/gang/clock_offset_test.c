#include "worker/gang/clock_offset.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static void without_an_answer_nothing_is_known(void **ctx)
{
    struct clock_offset clock = {0};
    int64_t offset;
    uint64_t uncertainty;

    (void)ctx;
    assert_false(clock_offset_get(&clock, &offset, &uncertainty));
    assert_int_equal(clock_offset_round(&clock), 0);
    assert_int_equal(clock_offset_here(&clock, 5000, 77), 77);
    clock_offset_add(&clock, 100, 5000, 99); /* heard before it was asked */
    assert_false(clock_offset_get(&clock, &offset, &uncertainty));
}

static void the_shortest_way_counts(void **ctx)
{
    struct clock_offset clock = {0};
    int64_t offset;
    uint64_t uncertainty;

    (void)ctx;
    clock_offset_add(&clock, 1000, 51500, 3000); /* 2000 there and back, uneven */
    clock_offset_add(&clock, 4000, 54010, 4020);
    clock_offset_add(&clock, 5000, 56900, 7000);
    assert_true(clock_offset_get(&clock, &offset, &uncertainty));
    assert_int_equal(offset, 50000);
    assert_int_equal(uncertainty, 11);
    assert_int_equal(clock_offset_round(&clock), 20);
    assert_int_equal(clock_offset_here(&clock, 60000, 1), 10000);
}

static void a_root_that_is_behind_has_a_negative_offset(void **ctx)
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

static void what_is_old_is_forgotten(void **ctx)
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

/* However uneven the ways are, the true offset lies within the uncertainty. */
static void the_uncertainty_is_kept(void **ctx)
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
        cmocka_unit_test(without_an_answer_nothing_is_known),
        cmocka_unit_test(the_shortest_way_counts),
        cmocka_unit_test(a_root_that_is_behind_has_a_negative_offset),
        cmocka_unit_test(what_is_old_is_forgotten),
        cmocka_unit_test(the_uncertainty_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
