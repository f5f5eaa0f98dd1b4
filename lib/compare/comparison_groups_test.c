#include "lib/compare/comparison_groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/verdict/verdict.h"
#include "tests/support/comparison_fixture.h"

/* Adds three repeats of a point on a card; both sides, when `base` is above 0. */
static void add(const char *point, int card, double base, double fresh)
{
    static const double noise[] = {-0.05, 0, 0.05};
    char text[64], serial[16], host[16];

    snprintf(text, sizeof(text), "%s card=%d", point, card);
    snprintf(serial, sizeof(serial), "S%d", card);
    snprintf(host, sizeof(host), "node%d", card / 4);
    for (int side = 0; side < 2; side++) {
        double level = side == COMPARISON_BASE ? base : fresh;

        for (uint64_t i = 0; i < 3; i++) {
            comparison_add_task(comparison, side,
                                &(struct comparison_task){text, i, level > 0});
            if (level > 0)
                comparison_add_figure(
                    comparison, side,
                    &(struct comparison_figure){.point = text,
                                                .repeat = i,
                                                .host = host,
                                                .serial = serial,
                                                .card = card,
                                                .kernel = "add",
                                                .metric = "duration_us",
                                                .unit = "us",
                                                .value = level + noise[i]});
        }
    }
}

static struct comparison_group first_of(enum comparison_level level, size_t expected)
{
    size_t count;
    struct comparison_group *groups = comparison_groups(comparison, level, &count);

    assert_int_equal(count, expected);
    struct comparison_group group = groups[0];
    free(groups);
    return group;
}

/* Eight cards with 3 + 3 repeats: each cell alone is inconclusive. */
static void eight_cards_decide_together(void **ctx)
{
    static const double changes[] = {2.600, 3.095, 2.207, 2.794,
                                     3.480, 2.411, 3.006, 2.708};

    (void)ctx;
    for (int card = 0; card < 8; card++)
        add("m=1", card, 100, 100 + changes[card]);
    comparison_judge(comparison);
    assert_int_equal(comparison_total(comparison, OUTCOME_INCONCLUSIVE), 8);
    struct comparison_group group = first_of(LEVEL_POINT, 1);
    assert_int_equal(group.outcome, OUTCOME_REGRESSED);
    assert_string_equal(group.point, "m=1");
    assert_string_equal(group.kernel, "add");
    assert_string_equal(group.card, "");
    assert_int_equal(group.cells, 8);
    assert_true(fabs(100 * expm1(group.shift) - 2.773) < 0.001);
    assert_true(fabs(100 * expm1(group.low) - 2.500) < 0.001);
    assert_true(fabs(100 * expm1(group.high) - 3.093) < 0.001);
    assert_true(group.p_worse == 1 / 256.0);
    assert_int_equal(first_of(LEVEL_FLEET, 1).outcome, OUTCOME_REGRESSED);
    /* Four cells of a host give no interval. */
    assert_int_equal(first_of(LEVEL_HOST, 2).outcome, OUTCOME_INCONCLUSIVE);
    assert_string_equal(first_of(LEVEL_HOST, 2).reason, "few");
}

/* Eight equal signs have the probability 1/256 = 0.0039: below the usual limit of 0.01,
 * above the limit of 0.003. */
static void the_limits_of_the_comparison_judge_groups(void **ctx)
{
    static const struct {
        struct verdict_limits limits;
        enum comparison_outcome outcome;
        const char *reason;
    } cases[] = {
        {{.alpha = 0.01, .discoveries = 0.05}, OUTCOME_REGRESSED, ""},
        {{.alpha = 0.004, .discoveries = 0.05}, OUTCOME_REGRESSED, ""},
        {{.alpha = 0.003, .discoveries = 0.05}, OUTCOME_INCONCLUSIVE, "spread"},
        {{.alpha = 0.01, .discoveries = 0.003}, OUTCOME_INCONCLUSIVE, "family"},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        comparison_destroy(comparison);
        comparison = comparison_create(&(struct comparison_settings){
            .metric = "duration_us", .tolerance = 0.02, .limits = &cases[i].limits});
        for (int card = 0; card < 8; card++)
            add("m=1", card, 100, 103 + 0.1 * card);
        comparison_judge(comparison);
        const struct comparison_group group = first_of(LEVEL_POINT, 1);

        assert_true(group.p_worse == 1 / 256.0);
        assert_int_equal(group.outcome, cases[i].outcome);
        assert_string_equal(group.reason, cases[i].reason);
    }
}

/* All cards were 5 % faster or slower together in earlier nights. */
static void a_night_that_moves_all_cards_is_no_change(void **ctx)
{
    static const double nights[] = {100, 105, 97, 103, 95, 104};

    (void)ctx;
    for (int card = 0; card < 8; card++)
        add("m=1", card, 100, 103 + 0.01 * card);
    for (size_t night = 0; night < sizeof(nights) / sizeof(nights[0]); night++) {
        comparison_begin_night(comparison, night + 1);
        for (int card = 0; card < 8; card++) {
            char text[64], serial[16];

            snprintf(text, sizeof(text), "m=1 card=%d", card);
            snprintf(serial, sizeof(serial), "S%d", card);
            comparison_add_night(comparison,
                                 &(struct comparison_figure){.point = text,
                                                             .host = "node",
                                                             .serial = serial,
                                                             .card = card,
                                                             .kernel = "add",
                                                             .metric = "duration_us",
                                                             .unit = "us",
                                                             .value = nights[night]});
        }
    }
    comparison_judge(comparison);
    struct comparison_group group = first_of(LEVEL_FLEET, 1);
    assert_true(group.p_worse == 1 / 256.0);
    assert_int_equal(group.outcome, OUTCOME_INCONCLUSIVE);
    assert_string_equal(group.reason, "nights");
    assert_string_equal(group.leaning, "worse");
}

/* Card 5 is slower on each of eight points; the points as such are not. */
static void a_slow_card_is_found_over_its_points(void **ctx)
{
    (void)ctx;
    for (int point = 0; point < 8; point++)
        for (int card = 4; card < 7; card++) {
            char text[16];

            snprintf(text, sizeof(text), "m=%d", point);
            add(text, card, 100,
                card == 5 ? 104 + 0.01 * point
                          : 100 + (point % 2 ? 0.01 : -0.01) * point);
        }
    comparison_judge(comparison);
    struct comparison_group group = first_of(LEVEL_CARD, 3);
    assert_int_equal(group.outcome, OUTCOME_REGRESSED);
    assert_string_equal(group.card, "S5");
    assert_string_equal(group.host, "node1");
    assert_string_equal(group.point, "");
    assert_true(group.p_worse == 1 / 256.0);
    assert_true(fabs(group.p_worse_adjusted - 3 / 256.0) < 1e-15);
    assert_int_equal(first_of(LEVEL_POINT, 8).outcome, OUTCOME_INCONCLUSIVE);
}

static void a_group_of_one_cell_has_its_verdict(void **ctx)
{
    (void)ctx;
    add("m=1", 0, 100, 100.01);
    comparison_judge(comparison);
    struct comparison_group group = first_of(LEVEL_POINT, 1);
    assert_int_equal(group.outcome, OUTCOME_SAME);
    assert_int_equal(group.cells, 1);
    assert_false(isnan(group.low));
}

static void a_few_cells_prove_what_each_of_them_proves(void **ctx)
{
    (void)ctx;
    add("m=1", 0, 100, 100.01);
    add("m=1", 1, 100, 100.02);
    add("m=2", 0, 100, 100.01);
    add("m=2", 1, 100, 105);
    comparison_judge(comparison);
    size_t count;
    struct comparison_group *groups =
        comparison_groups(comparison, LEVEL_POINT, &count);
    assert_int_equal(count, 2);
    assert_string_equal(groups[0].point, "m=1");
    assert_int_equal(groups[0].outcome, OUTCOME_SAME);
    assert_string_equal(groups[0].reason, "");
    assert_string_equal(groups[1].point, "m=2");
    assert_int_equal(groups[1].outcome, OUTCOME_INCONCLUSIVE);
    assert_string_equal(groups[1].reason, "few");
    /* of 3 + 3 repeats: 7/20 and 1/20 */
    assert_true(fabs(groups[1].p_worse - 7 / 20.0) < 1e-15);
    free(groups);
}

static void cells_without_a_value_are_counted(void **ctx)
{
    (void)ctx;
    add("m=1", 0, 100, 0);
    comparison_judge(comparison);
    struct comparison_group group = first_of(LEVEL_CARD, 1);
    assert_int_equal(group.outcome, OUTCOME_NOT_MEASURED);
    assert_int_equal(group.cells, 0);
    assert_int_equal(group.missing, 1);
    assert_true(isnan(group.shift));
}

static void a_comparison_without_cells_has_no_groups(void **ctx)
{
    size_t count = 9;

    (void)ctx;
    comparison_judge(comparison);
    free(comparison_groups(comparison, LEVEL_FLEET, &count));
    assert_int_equal(count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(eight_cards_decide_together),
        TEST(the_limits_of_the_comparison_judge_groups),
        TEST(a_night_that_moves_all_cards_is_no_change),
        TEST(a_slow_card_is_found_over_its_points),
        TEST(a_group_of_one_cell_has_its_verdict),
        TEST(a_few_cells_prove_what_each_of_them_proves),
        TEST(cells_without_a_value_are_counted),
        TEST(a_comparison_without_cells_has_no_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
