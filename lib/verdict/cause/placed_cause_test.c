#include "lib/verdict/cause/placed_cause.h"

#include <math.h>

#include "tests/support/unit.h"

enum { N = 4, VALUES_MAX = 3 * N * N, NONE = -1 };

/* Slow cards and ranks add to the computing times, slow pairs to the transfers. */
struct plan {
    int card, rank, link[2], pair[2];
};
static const struct plan nothing = {NONE, NONE, {NONE, NONE}, {NONE, NONE}};
static const double margin = 0.02;

static bool is_pair(const int pair[2], size_t a, size_t b)
{
    return (pair[0] == (int)a && pair[1] == (int)b) ||
           (pair[0] == (int)b && pair[1] == (int)a);
}

/* Rank r runs on card r + shift in the placements 0, 1 and half of the ranks. */
static struct placed_cause find(struct plan plan, size_t placements)
{
    static const size_t shifts[] = {0, 1, N / 2};
    struct placed_value values[VALUES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < placements; i++)
        for (size_t rank = 0; rank < N; rank++) {
            size_t card = (rank + shifts[i]) % N;
            double log =
                0.05 * ((int)card == plan.card) + 0.08 * ((int)rank == plan.rank);

            values[count++] =
                (struct placed_value){i, rank, card, PLACED_COMPUTING, log};
            for (size_t peer = 0; peer < N; peer++) {
                size_t other = (peer + shifts[i]) % N;

                log = 0.3 * is_pair(plan.link, card, other) +
                      0.4 * is_pair(plan.pair, rank, peer);
                if (peer != rank)
                    values[count++] = (struct placed_value){i, rank, card, peer, log};
            }
        }
    return placed_cause_find(values, count, margin);
}

static void equal_times_have_no_cause(void **ctx)
{
    struct placed_cause cause = find(nothing, 3);

    (void)ctx;
    assert_int_equal(cause.cause, CAUSE_NONE);
    assert_true(cause.separates);
    cause = placed_cause_find(NULL, 0, margin);
    assert_int_equal(cause.cause, CAUSE_NONE);
    assert_false(cause.separates);
}

static void a_card_that_is_slow_with_each_rank_is_the_cause(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.card = 2;
    struct placed_cause cause = find(plan, 3);
    assert_int_equal(cause.cause, CAUSE_CARD);
    assert_int_equal(cause.card, 2);
    assert_true(cause.peer_card == SIZE_MAX);
    assert_true(fabs(cause.size - 0.05) < 1e-9);
}

static void a_rank_that_is_slow_on_each_card_is_no_card(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.rank = 1;
    struct placed_cause cause = find(plan, 3);
    assert_int_equal(cause.cause, CAUSE_CODE);
    assert_int_equal(cause.rank, 1);
    assert_true(cause.card == SIZE_MAX);
    assert_true(fabs(cause.size - 0.08) < 1e-9);
}

static void computing_times_can_name_cards_alone(void **ctx)
{
    static const double cards[] = {0, 0, 0.03, 0}, ranks[] = {0, 0.08, 0, 0};
    struct placed_value values[3 * N];
    size_t count = 0;

    (void)ctx;
    for (size_t shift = 0; shift < 3; shift++)
        for (size_t rank = 0; rank < N; rank++) {
            size_t card = (rank + shift) % N;

            values[count++] = (struct placed_value){shift, rank, card, PLACED_COMPUTING,
                                                    cards[card] + ranks[rank]};
        }
    struct placed_cause cause = placed_cause_find(values, count, margin);
    assert_int_equal(cause.cause, CAUSE_CODE);
    assert_int_equal(cause.rank, 1);
    cause = placed_cause_of_cards(values, count, margin);
    assert_int_equal(cause.cause, CAUSE_CARD);
    assert_int_equal(cause.card, 2);
    assert_true(fabs(cause.size - 0.03) < 1e-9);
}

static void a_link_is_slow_with_each_pair_of_ranks(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.link[0] = 1;
    plan.link[1] = 2;
    struct placed_cause cause = find(plan, 3);
    assert_int_equal(cause.cause, CAUSE_LINK);
    assert_true(cause.card + cause.peer_card == 3 && cause.card * cause.peer_card == 2);
    assert_true(fabs(cause.size - 0.3) < 1e-9);

    plan = nothing;
    plan.pair[0] = 0;
    plan.pair[1] = 1;
    cause = find(plan, 3);
    assert_int_equal(cause.cause, CAUSE_CODE);
    assert_true(cause.rank <= 1);
    assert_true(fabs(cause.size - 0.4) < 1e-9);
}

static void one_placement_does_not_separate_cards_from_ranks(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.card = 2;
    struct placed_cause cause = find(plan, 1);
    assert_int_equal(cause.cause, CAUSE_NONE);
    assert_false(cause.separates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_have_no_cause),
        cmocka_unit_test(a_card_that_is_slow_with_each_rank_is_the_cause),
        cmocka_unit_test(a_rank_that_is_slow_on_each_card_is_no_card),
        cmocka_unit_test(computing_times_can_name_cards_alone),
        cmocka_unit_test(a_link_is_slow_with_each_pair_of_ranks),
        cmocka_unit_test(one_placement_does_not_separate_cards_from_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
