#include "lib/gate/drifts.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/comparison_fixture.h"

enum { CARDS = 8, REPEATS = 7 };

/* Adds seven repeats of a point on a card in both jobs. */
static void add(const char *point, int card, double fresh)
{
    char text[64], serial[16];

    snprintf(text, sizeof(text), "%s card=%d", point, card);
    snprintf(serial, sizeof(serial), "S%d", card);
    for (int side = 0; side < 2; side++)
        for (uint64_t i = 0; i < REPEATS; i++) {
            comparison_add_task(comparison, side,
                                &(struct comparison_task){text, i, true});
            comparison_add_figure(comparison, side,
                                  &(struct comparison_figure){
                                      .point = text,
                                      .repeat = i,
                                      .host = card < CARDS / 2 ? "node0" : "node1",
                                      .serial = serial,
                                      .card = card,
                                      .kernel = "add",
                                      .metric = "duration_us",
                                      .unit = "us",
                                      .value = (side == COMPARISON_BASE ? 100 : fresh) +
                                               0.01 * (double)i});
        }
}

static void expect(const char *const *expected, size_t expected_count)
{
    size_t count;
    char **sentences;

    comparison_judge(comparison);
    sentences = drifts_find(comparison, "release-8", &count);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(sentences[i], expected[i]);
        free(sentences[i]);
    }
    free(sentences);
}

static void a_point_that_drifts_names_its_worst_cards(void **ctx)
{
    static const char *const expected[] = {
        "point m=1 of kernel add is 3.3 % worse than in release-8 (metric duration_us)"
        " on 8 of 8 cells: card S7 of host node1 (+3.7 %), card S6 of host node1"
        " (+3.6 %), card S5 of host node1 (+3.5 %) and 5 more"};

    (void)ctx;
    for (int card = 0; card < CARDS; card++) {
        add("m=1", card, 103 + 0.1 * card);
        add("m=2", card, 100);
    }
    expect(expected, 1);
}

static void a_card_that_drifts_names_its_points(void **ctx)
{
    static const char *const expected[] = {
        "card S3 of host node0 is 4.1 % worse than in release-8 (metric duration_us)"
        " at 2 of 2 points: point m=2 of kernel add (+4.2 %), point m=1 of kernel add"
        " (+4.0 %)"};

    (void)ctx;
    for (int card = 0; card < CARDS; card++) {
        add("m=1", card, card == 3 ? 104 : 100);
        add("m=2", card, card == 3 ? 104.2 : 100);
    }
    expect(expected, 1);
}

static void a_night_like_the_anchor_gives_no_sentence(void **ctx)
{
    (void)ctx;
    for (int card = 0; card < CARDS; card++)
        add("m=1", card, 100);
    expect(NULL, 0);
}

static void a_comparison_without_cells_gives_no_sentence(void **ctx)
{
    (void)ctx;
    expect(NULL, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_point_that_drifts_names_its_worst_cards),
        TEST(a_card_that_drifts_names_its_points),
        TEST(a_night_like_the_anchor_gives_no_sentence),
        TEST(a_comparison_without_cells_gives_no_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
