#include "lib/gate/new_cards.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gate/suspects.h"
#include "tests/support/comparison_fixture.h"

enum { POINTS = 8, REPEATS = 3 };

/* Adds three repeats of each point on a card. The durations are those of the card
 * times `factor`, and differ a little from point to point. */
static void
add(enum comparison_side side, int number, const char *serial, double factor)
{
    for (int point = 0; point < POINTS; point++)
        for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
            char text[32];

            snprintf(text, sizeof(text), "m=%d card=%d", point, number);
            comparison_add_task(comparison, side,
                                &(struct comparison_task){text, repeat, true});
            comparison_add_figure(
                comparison, side,
                &(struct comparison_figure){
                    .point = text,
                    .repeat = repeat,
                    .host = "node0",
                    .serial = serial,
                    .card = number,
                    .kernel = "add",
                    .metric = "duration_us",
                    .unit = "us",
                    .value = (100 + 10 * point) * factor *
                             (1 + 0.001 * (double)((point + (int)repeat) % 3))});
        }
}

/* Returns the only new card after the card S9 replaced S2 with this factor. */
static struct new_card replace(double factor)
{
    struct comparison_row *rows;
    struct new_card *cards, card;
    size_t count;

    for (int number = 0; number < 3; number++) {
        char serial[16];

        snprintf(serial, sizeof(serial), "S%d", number);
        add(COMPARISON_BASE, number, serial, 1);
        if (number < 2)
            add(COMPARISON_NEW, number, serial, 1);
    }
    add(COMPARISON_NEW, 2, "S9", factor);
    comparison_judge(comparison);
    rows = suspects_sort(comparison);
    cards = new_cards_find(rows, comparison_count(comparison), "duration_us", &count);
    assert_int_equal(count, 1);
    card = cards[0];
    free(cards);
    free(rows);
    return card;
}

static void expect(const struct new_card *card, const char *sentence)
{
    char *found = new_card_sentence(card);

    assert_string_equal(found, sentence);
    free(found);
}

static void a_slow_new_card_is_named(void **ctx)
{
    struct new_card card = replace(1.05);

    (void)ctx;
    assert_int_equal(card.outcome, OUTCOME_REGRESSED);
    assert_int_equal(card.cells, POINTS);
    assert_int_equal(card.others, 2);
    assert_true(fabs(card.shift - log(1.05)) < 1e-9);
    expect(&card,
           "new card S9 of host node0 is 5.0 % slower than 2 other cards at 8 points");
}

static void an_equal_and_a_fast_new_card_are_named_too(void **ctx)
{
    struct new_card card = replace(1);

    (void)ctx;
    expect(&card, "new card S9 of host node0 is as fast as 2 other cards at 8 points");
    tear_down(ctx);
    set_up(ctx);
    card = replace(0.9);
    assert_int_equal(card.outcome, OUTCOME_IMPROVED);
    expect(&card,
           "new card S9 of host node0 is 11.1 % faster than 2 other cards at 8 points");
}

static void a_new_point_makes_no_card_new(void **ctx)
{
    struct comparison_row *rows;
    size_t count;

    (void)ctx;
    add(COMPARISON_NEW, 0, "S0", 1); /* the base has no cell */
    comparison_judge(comparison);
    rows = suspects_sort(comparison);
    free(new_cards_find(rows, comparison_count(comparison), "duration_us", &count));
    assert_int_equal(count, 0);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slow_new_card_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_equal_and_a_fast_new_card_are_named_too,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_point_makes_no_card_new, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
