#include "sim/hccl/times/arrival.h"

#include "tests/support/unit.h"

#define MS     1000000ull
#define STEP   (100 * MS)
#define SECOND (1000 * MS)

static void ranks_that_were_released_together_start_together(void **ctx)
{
    /* a loaded host let rank 1 run 49 ms after rank 0 */
    const struct arrival ranks[3] = {{.anchor_ns = 5 * SECOND},
                                     {.anchor_ns = 5 * SECOND + 49 * MS},
                                     {.anchor_ns = 5 * SECOND + 7}};
    uint64_t start[3];

    (void)ctx;
    assert_int_equal(arrivals_align(ranks, 3, 2, STEP, start), 5 * SECOND + 49 * MS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(start[i], 0);
}

static void modelled_time_counts_exactly(void **ctx)
{
    const struct arrival ranks[2] = {{.anchor_ns = SECOND, .since_ns = 1060},
                                     {.anchor_ns = SECOND + 3 * MS, .since_ns = 1000}};
    uint64_t start[2];

    (void)ctx;
    arrivals_align(ranks, 2, 0, STEP, start);
    assert_int_equal(start[0], 1060);
    assert_int_equal(start[1], 1000);
}

static void a_delay_of_the_program_counts_in_steps(void **ctx)
{
    /* rank 1 slept for a second; the host added 8 ms */
    const struct arrival ranks[2] = {
        {.anchor_ns = SECOND}, {.anchor_ns = 2 * SECOND + 8 * MS, .since_ns = 20}};
    uint64_t start[2];

    (void)ctx;
    assert_int_equal(arrivals_align(ranks, 2, 0, STEP, start), SECOND + 8 * MS);
    assert_int_equal(start[0], 0);
    assert_int_equal(start[1], SECOND + 20);
}

static void without_steps_the_time_of_the_host_counts(void **ctx)
{
    const struct arrival ranks[2] = {{.anchor_ns = SECOND},
                                     {.anchor_ns = SECOND + 1234}};
    uint64_t start[2];

    (void)ctx;
    assert_int_equal(arrivals_align(ranks, 2, 1, 0, start), SECOND);
    assert_int_equal(start[0], 0);
    assert_int_equal(start[1], 1234);
}

/* Clocks of two machines have nothing to do with each other. */
static void another_machine_has_its_own_clock(void **ctx)
{
    const struct arrival ranks[3] = {{1, 900 * SECOND, 5, 0, 0},
                                     {1, 900 * SECOND + MS, 5, 0, 0},
                                     {2, 3 * SECOND, 6, 0, 0}};
    uint64_t start[3];

    (void)ctx;
    assert_int_equal(arrivals_align(ranks, 3, 0, STEP, start), 900 * SECOND + MS);
    assert_int_equal(start[0], 5);
    assert_int_equal(start[2], 6);
    assert_int_equal(arrivals_align(ranks, 3, 2, STEP, start), 3 * SECOND);
    assert_int_equal(start[0], 5);
    assert_int_equal(start[2], 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_were_released_together_start_together),
        cmocka_unit_test(modelled_time_counts_exactly),
        cmocka_unit_test(a_delay_of_the_program_counts_in_steps),
        cmocka_unit_test(without_steps_the_time_of_the_host_counts),
        cmocka_unit_test(another_machine_has_its_own_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
