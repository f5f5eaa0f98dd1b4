#include "lib/gate/gate_sentence.h"

#include <stdlib.h>

#include "lib/compare/baseline.h"
#include "tests/support/gate_fixture.h"

static double equal(int point, int card)
{
    (void)point;
    (void)card;
    return 1;
}

static double slow_card(int point, int card)
{
    (void)point;
    return card == 3 ? 1.05 : 1;
}

static double slow_point(int point, int card)
{
    (void)card;
    return point == 1 ? 1.05 : 1;
}

/* Requires exit code and sentence of the cells that were added. */
static void is(enum gate_code code, bool tasks_failed, const char *sentence)
{
    struct gate_reasons reasons;

    judge();
    struct gate_result result = gate_decide(gate, tasks_failed, false);
    gate_reasons_init(&reasons, gate);
    char *text = gate_sentence(gate, &reasons, &result);
    assert_string_equal(text, sentence);
    assert_int_equal(result.code, code);
    free(text);
    gate_reasons_clear(&reasons);
    tear_down(NULL);
    set_up(NULL);
}

/* Adds a point that the new job did not measure. */
static void add_missing(const char *point, int card)
{
    add_cell((struct night_cell){point, NULL, NULL, card, 0, 100, 0});
}

static void regressions_that_do_not_count_are_not_denied(void **ctx)
{
    (void)ctx;
    add_night(slow_card);
    rules.fail = JOB_FAIL_NOT_MEASURED;
    is(GATE_PASSED, false,
       "no regression counts, because gate.fail does not list `regressed`");
    add_night(slow_card);
    rules.causes = JOB_CAUSE_CODE;
    is(GATE_PASSED, false,
       "no regression counts, because gate.causes does not list their causes");
}

/* Adds a night in which each of these cards lacks a point of its own. */
static void add_lost_cards(const int *cards, size_t count)
{
    add_night(equal);
    for (size_t i = 0; i < count; i++) {
        char name[24];

        snprintf(name, sizeof(name), "m=%zu", 7 + i / 2);
        add_missing(name, cards[i]);
    }
}

static void cards_without_a_result_are_named(void **ctx)
{
    static const int cards[] = {4, 4, 5, 0, 1};

    (void)ctx;
    add_lost_cards(cards, 1);
    is(GATE_UNDECIDED, true,
       "not measured: 7 repeats have no result, on card S4 of host node2");
    add_lost_cards(cards + 1, 2);
    is(GATE_UNDECIDED, true,
       "not measured: 14 repeats have no result, on card S4 of host node2 and card S5 "
       "of host node2");
    add_lost_cards(cards + 1, 3);
    is(GATE_UNDECIDED, true,
       "not measured: 21 repeats have no result, on card S4 of host node2, card S5 of "
       "host node2 and card S0 of host node0");
    add_lost_cards(cards + 1, 4); /* more cards than points */
    is(GATE_UNDECIDED, true,
       "not measured: 28 repeats have no result, at point m=7 and point m=8");
}

static void points_without_a_result_are_named_when_no_card_is(void **ctx)
{
    (void)ctx;
    add_night(equal);
    add_missing("m=7", -1);
    is(GATE_UNDECIDED, true, "not measured: 7 repeats have no result, at point m=7");
}

static void many_places_without_a_result_are_not_named(void **ctx)
{
    (void)ctx;
    for (int card = 0; card < 4; card++)
        for (int point = 0; point < 4; point++) {
            char name[24];

            snprintf(name, sizeof(name), "m=%d", point);
            add_missing(name, card);
        }
    is(GATE_UNDECIDED, true, "not measured: 112 repeats have no result");
}

static void failed_tasks_are_not_silent_when_they_pass(void **ctx)
{
    (void)ctx;
    add_night(equal);
    is(GATE_TASKS_FAILED, true, "nothing regressed, but tasks failed");
    add_night(equal);
    rules.fail = JOB_FAIL_REGRESSED;
    add_missing("m=7", -1);
    is(GATE_TASKS_FAILED, true, "nothing regressed, but 7 repeats have no result");
}

static void a_large_quarantine_is_the_reason(void **ctx)
{
    struct baseline *baseline = baseline_create(true, 0);

    (void)ctx;
    baseline_add_quarantine(baseline, "m=1", "noisy");
    comparison_destroy(comparison);
    comparison = comparison_create(&(struct comparison_settings){
        .metric = "duration_us", .tolerance = 0.02, .baseline = baseline});
    add_night(slow_point);
    is(GATE_UNDECIDED, false, "undecided: 6 of 24 cells are in quarantine");
    baseline_destroy(baseline);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(regressions_that_do_not_count_are_not_denied),
        TEST(cards_without_a_result_are_named),
        TEST(points_without_a_result_are_named_when_no_card_is),
        TEST(many_places_without_a_result_are_not_named),
        TEST(failed_tasks_are_not_silent_when_they_pass),
        TEST(a_large_quarantine_is_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
