#include "sim/nn/timeline.h"

#include "tests/support/unit.h"

static void a_transfer_begins_when_its_tile_is_computed(void **ctx)
{
    const uint64_t transfer[4] = {10, 10, 10, 10};
    struct timeline line;

    (void)ctx;
    timeline_make(&line, 1000, 1400, transfer, 4, false);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(line.turn[i].ready, 1000 + 100 * (i + 1));
        assert_int_equal(line.turn[i].moves, line.turn[i].ready);
        assert_int_equal(line.turn[i].computed_from, 1000 + 100 * i);
    }
    assert_in_range(line.cores_end, 1411, 1500); /* time to notice the end */
}

static void slow_transfers_follow_each_other_and_the_cores_wait_for_the_last(void **ctx)
{
    const uint64_t transfer[3] = {500, 500, 500};
    struct timeline line;

    (void)ctx;
    timeline_make(&line, 1000, 1300, transfer, 3, false);
    assert_int_equal(line.turn[0].moves, 1100);
    assert_int_equal(line.turn[1].moves, 1600);
    assert_in_range(line.cores_end, 1101 + 3 * 500, 1200 + 3 * 500);
    assert_true(line.end > line.turn[2].moved);
}

static void an_operator_that_transfers_first_computes_last(void **ctx)
{
    const uint64_t transfer[2] = {300, 300};
    struct timeline line;

    (void)ctx;
    timeline_make(&line, 1000, 1200, transfer, 2, true);
    assert_int_equal(line.turn[0].moves, 1000);
    assert_int_equal(line.turn[1].moves, 1300);
    assert_int_equal(line.turn[1].computed_from, 1600);
    assert_int_equal(line.cores_end, 1700);
    assert_true(line.start < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transfer_begins_when_its_tile_is_computed),
        cmocka_unit_test(
            slow_transfers_follow_each_other_and_the_cores_wait_for_the_last),
        cmocka_unit_test(an_operator_that_transfers_first_computes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
