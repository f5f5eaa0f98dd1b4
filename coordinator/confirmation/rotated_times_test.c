#include "coordinator/confirmation/rotated_times.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { N = 4, REPEATS = 7, NONE = -1 };

/* Factors of the times now. */
struct plan {
    int card, link[2]; /* slow for both programs */
    int also;          /* a card that became a little slow */
    bool always;       /* the card was slow in the base too */
    int code_card;     /* slow for program B only */
    double code;       /* factor of program B on each card */
};
static const struct plan nothing = {NONE, {NONE, NONE}, NONE, false, NONE, 1};
static const double margin = 0.0198; /* 2 % */

static double computing(const struct plan *plan, enum rotated_side side, size_t card)
{
    double us = 100 + (double)card; /* cards differ a little */

    if ((int)card == plan->card && (side != ROTATED_BEFORE || plan->always))
        us *= 1.05;
    if ((int)card == plan->also && side != ROTATED_BEFORE)
        us *= 1.04;
    if (side == ROTATED_FRESH)
        us *= (int)card == plan->code_card ? 1.08 : plan->code;
    return us;
}

static double
transfer(const struct plan *plan, enum rotated_side side, size_t a, size_t b)
{
    bool slow = ((int)a == plan->link[0] && (int)b == plan->link[1]) ||
                ((int)b == plan->link[0] && (int)a == plan->link[1]);

    return slow && side != ROTATED_BEFORE ? 15 : 10;
}

/* Adds a repeat in which rank r runs on card r + shift. */
static void add_repeat(struct rotated_times *times,
                       const struct plan *plan,
                       enum rotated_side side,
                       size_t placement,
                       uint32_t repeat)
{
    static const size_t shifts[] = {0, 1, N / 2};
    double noise = 1 + 0.001 * (repeat % 3);

    for (size_t rank = 0; rank < N; rank++) {
        size_t card = (rank + shifts[placement]) % N;
        char name[8];
        struct rotated_time time = {side, placement, rank, PLACED_COMPUTING, repeat, 0};

        snprintf(name, sizeof(name), "S%zu", card);
        time.us = noise * computing(plan, side, card);
        rotated_times_add(times, &time, name);
        for (size_t peer = 0; peer < N; peer++) {
            time.peer = peer;
            time.us = transfer(plan, side, card, (peer + shifts[placement]) % N);
            if (peer != rank)
                rotated_times_add(times, &time, name);
        }
    }
}

static struct rotated_times *measure(struct plan plan, size_t placements)
{
    struct rotated_times *times = rotated_times_create();

    for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {
        add_repeat(times, &plan, ROTATED_BEFORE, 0, repeat);
        for (size_t placement = 0; placement < placements; placement++) {
            add_repeat(times, &plan, ROTATED_BASE, placement, repeat);
            add_repeat(times, &plan, ROTATED_FRESH, placement, repeat);
        }
    }
    return times;
}

/* Requires this drift and these names of its cards. */
static void drift_is(struct plan plan,
                     size_t placements,
                     enum cause cause,
                     const char *card,
                     const char *peer)
{
    struct rotated_times *times = measure(plan, placements);
    struct rotated_answer answer = rotated_times_judge(times, margin);

    assert_int_equal(answer.drift, cause);
    assert_string_equal(answer.drift_card, card);
    assert_string_equal(answer.drift_peer, peer);
    assert_int_equal(answer.code, CAUSE_NONE);
    assert_string_equal(answer.code_card, "");
    rotated_times_destroy(times);
}

static void a_card_that_became_slow_is_named(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    drift_is(plan, 3, CAUSE_NONE, "", "");
    plan.card = 2;
    drift_is(plan, 3, CAUSE_CARD, "S2", "");
    plan.code = 1.2; /* slower code on each card hides nothing */
    drift_is(plan, 3, CAUSE_CARD, "S2", "");
}

static void a_card_that_was_always_slow_is_not_the_cause(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.card = 2;
    plan.always = true;
    drift_is(plan, 3, CAUSE_NONE, "", "");
    plan.also = 1; /* but it does not hide another card */
    drift_is(plan, 3, CAUSE_CARD, "S1", "");
}

static void a_link_that_became_slow_is_named_by_both_cards(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.link[0] = 3;
    plan.link[1] = 1;
    drift_is(plan, 3, CAUSE_LINK, "S1", "S3");
    /* a card that was always slow does not hide the link */
    plan.card = 2;
    plan.always = true;
    drift_is(plan, 3, CAUSE_LINK, "S1", "S3");
}

static void one_placement_names_no_card(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.card = 2;
    drift_is(plan, 1, CAUSE_NONE, "", "");
}

static void code_that_is_slow_on_one_card_names_it(void **ctx)
{
    struct plan plan = nothing;

    (void)ctx;
    plan.code_card = 1;
    struct rotated_times *times = measure(plan, 3);
    struct rotated_answer answer = rotated_times_judge(times, margin);
    assert_int_equal(answer.code, CAUSE_CARD);
    assert_string_equal(answer.code_card, "S1");
    assert_int_equal(answer.drift, CAUSE_NONE);
    rotated_times_destroy(times);
}

static void times_that_are_missing_or_zero_name_nothing(void **ctx)
{
    struct rotated_times *times = rotated_times_create();
    const struct rotated_time zero = {ROTATED_BASE, 0, 0, PLACED_COMPUTING, 0, 0};
    struct rotated_answer answer;

    (void)ctx;
    rotated_times_add(times, &zero, "S0");
    answer = rotated_times_judge(times, margin);
    assert_int_equal(answer.code, CAUSE_NONE);
    assert_int_equal(answer.drift, CAUSE_NONE);
    assert_string_equal(answer.drift_card, "");
    rotated_times_destroy(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_that_became_slow_is_named),
        cmocka_unit_test(a_card_that_was_always_slow_is_not_the_cause),
        cmocka_unit_test(a_link_that_became_slow_is_named_by_both_cards),
        cmocka_unit_test(one_placement_names_no_card),
        cmocka_unit_test(code_that_is_slow_on_one_card_names_it),
        cmocka_unit_test(times_that_are_missing_or_zero_name_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
