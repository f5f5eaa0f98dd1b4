#include "lib/gate/gate.h"

#include <stdlib.h>
#include <string.h>

#include "lib/gate/gate_sentence.h"
#include "tests/support/gate_fixture.h"

static double equal(int point, int card)
{
    (void)point;
    (void)card;
    return 1;
}

static double slow_kernel(int point, int card)
{
    (void)card;
    return point == 1 ? 1.05 : 1;
}

static double slow_card(int point, int card)
{
    (void)point;
    return card == 3 ? 1.05 : 1;
}

static double slow_host(int point, int card)
{
    (void)point;
    return card / 2 == 2 ? 1.05 : 1;
}

static double all_slow(int point, int card)
{
    (void)point;
    (void)card;
    return 1.05;
}

static double slow_kernel_and_card(int point, int card)
{
    return slow_kernel(point, card) * (card == 3 ? 1.08 : 1);
}

static double one_cell(int point, int card)
{
    return point == 1 && card == 3 ? 1.05 : 1;
}

static double fast_kernel(int point, int card)
{
    (void)card;
    return point == 2 ? 0.7 : 1;
}

/* Judges the night and requires its exit code and sentence. */
static void night_is(night_fn *ratio, enum gate_code code, const char *sentence)
{
    struct gate_reasons reasons;
    struct gate_result result;
    char *text;

    add_night(ratio);
    judge();
    result = gate_decide(gate, false, false);
    gate_reasons_init(&reasons, gate);
    text = gate_sentence(gate, &reasons, &result);
    assert_string_equal(text, sentence);
    assert_int_equal(result.code, code);
    free(text);
    gate_reasons_clear(&reasons);
}

static void equal_nights_pass(void **ctx)
{
    size_t count;

    (void)ctx;
    night_is(equal, GATE_PASSED, "nothing regressed");
    gate_suspects(gate, &count);
    assert_int_equal(count, 0);
    assert_int_equal(gate_decide(gate, true, false).code, GATE_TASKS_FAILED);
    assert_int_equal(gate_decide(gate, false, false).outcomes[OUTCOME_SAME], 24);
}

static void a_slower_kernel_is_code(void **ctx)
{
    size_t count;

    (void)ctx;
    night_is(slow_kernel, GATE_REGRESSED,
             "point m=1 of kernel k1 is 5.0 % slower on 6 cards, because of its code; "
             "not confirmed");
    const struct suspect *suspects = gate_suspects(gate, &count);
    assert_int_equal(count, NIGHT_CARDS);
    assert_string_equal(suspects[0].cell.kernel, "k1");
    assert_string_equal(suspects[0].cell.placed_host, "node0");
    assert_string_equal(suspects[0].cell.task_point, "m=1 card=0");
    assert_true(fabs(expm1(suspects[0].size) - 0.05) < 1e-9);
}

static void equal_code_is_not_the_cause(void **ctx)
{
    (void)ctx;
    for (int side = 0; side < 2; side++)
        gate_evidence_add_code(evidence, side, "m=1 card=0", "k1", "same");
    night_is(slow_kernel, GATE_REGRESSED,
             "point m=1 of kernel k1 is 5.0 % slower on 6 cards; the cause is unknown; "
             "not confirmed");
}

static void a_slow_card_is_named_by_serial(void **ctx)
{
    (void)ctx;
    night_is(slow_card, GATE_REGRESSED,
             "4 points are 5.0 % slower, because of card S3 of host node1; not "
             "confirmed");
}

static void all_cards_of_a_host_are_the_host(void **ctx)
{
    (void)ctx;
    night_is(slow_host, GATE_REGRESSED,
             "4 points are 5.0 % slower, because of host node2; not confirmed");
}

static void another_environment_explains_that_everything_is_slower(void **ctx)
{
    (void)ctx;
    for (int card = 0; card < NIGHT_CARDS; card++) {
        char serial[16];

        snprintf(serial, sizeof(serial), "S%d", card);
        for (int side = 0; side < 2; side++)
            environments_set(gate_evidence_environments(evidence, side), serial,
                             &(struct environment){.driver = side ? "2" : "1"});
    }
    night_is(all_slow, GATE_REGRESSED,
             "4 points are 5.0 % slower, because of the environment (driver, firmware, "
             "CANN or cooling); not confirmed");
}

static void everything_slower_without_evidence_has_no_cause(void **ctx)
{
    struct gate_reasons reasons;

    (void)ctx;
    add_night(all_slow);
    judge();
    gate_reasons_init(&reasons, gate);
    assert_int_equal(reasons.count, NIGHT_POINTS); /* one for each kernel */
    assert_int_equal(reasons.reasons[0].cause, CAUSE_UNKNOWN);
    assert_int_equal(reasons.reasons[0].cards, NIGHT_CARDS);
    gate_reasons_clear(&reasons);
}

static void code_and_card_are_both_named(void **ctx)
{
    (void)ctx;
    add_night(slow_kernel_and_card);
    judge();
    size_t count;
    const struct suspect *worst = gate_suspects(gate, &count);
    assert_int_equal(count, NIGHT_CARDS + NIGHT_POINTS - 1);
    assert_int_equal(worst->causes.first, CAUSE_CARD);
    assert_int_equal(worst->causes.second, CAUSE_CODE);
    assert_true(fabs(expm1(worst->size) - 0.08) < 1e-9);
}

static void a_single_slow_cell_has_no_cause(void **ctx)
{
    (void)ctx;
    night_is(one_cell, GATE_REGRESSED,
             "point m=1 of kernel k1 is 5.0 % slower on card S3 of host node1; the "
             "cause is unknown; not confirmed");
}

static void equal_cycles_name_the_clock_of_the_card(void **ctx)
{
    size_t count;

    (void)ctx;
    add_cell((struct night_cell){"m=1", "k1", "aic_cycles_max", 3, 0, 5000, 5000});
    add_night(one_cell);
    judge();
    const struct suspect *suspect = gate_suspects(gate, &count);
    assert_int_equal(count, 1);
    assert_true(suspect->no_more_cycles);
    assert_int_equal(suspect->causes.first, CAUSE_CARD);
}

static void a_slow_canary_excludes_the_code(void **ctx)
{
    size_t count;

    (void)ctx;
    rules.suspects.canary = "m=1 *";
    add_night(one_cell);
    judge();
    const struct suspect *suspect = gate_suspects(gate, &count);
    assert_int_equal(count, 1);
    assert_true(suspect->canary_regressed);
    assert_int_equal(suspect->causes.first, CAUSE_CARD);
}

static void a_canary_that_is_slow_on_all_cards_is_no_card(void **ctx)
{
    (void)ctx;
    rules.suspects.canary = "m=1 *";
    night_is(slow_kernel, GATE_REGRESSED,
             "point m=1 of kernel k1 is 5.0 % slower, because of the environment "
             "(driver, firmware, CANN or cooling); not confirmed");
}

static void an_improved_kernel_passes_and_is_listed(void **ctx)
{
    struct gate_reasons reasons;

    (void)ctx;
    night_is(fast_kernel, GATE_PASSED, "nothing regressed");
    gate_reasons_init(&reasons, gate);
    assert_int_equal(reasons.improved_count, 1);
    assert_string_equal(
        reasons.improved[0],
        "point m=2 of kernel k2 is 42.9 % faster on 6 cards; check that "
        "it still does the same work");
    gate_reasons_clear(&reasons);
}

static void improvements_fail_when_the_job_says_so(void **ctx)
{
    (void)ctx;
    rules.fail |= JOB_FAIL_IMPROVED;
    night_is(fast_kernel, GATE_REGRESSED,
             "1 point improved, and gate.fail lists `improved`");
}

static void a_suspect_without_confirmation_is_undecided(void **ctx)
{
    (void)ctx;
    rules.confirm = true;
    night_is(slow_card, GATE_UNDECIDED,
             "4 points are 5.0 % slower, because of card S3 of host node1; not "
             "confirmed yet");
    assert_int_equal(gate_decide(gate, false, false).suspects[WEIGHT_OPEN],
                     NIGHT_POINTS);
}

static void confirmations_decide(void **ctx)
{
    const struct causes none = {CAUSE_NONE, CAUSE_NONE};
    size_t count;

    (void)ctx;
    rules.confirm = true;
    add_night(slow_card);
    judge();
    gate_suspects(gate, &count);
    for (size_t i = 0; i < count; i++)
        gate_confirm(gate, i, SUSPECT_NOT_REPRODUCED, none);
    assert_int_equal(gate_decide(gate, false, false).code, GATE_PASSED);
    gate_confirm(gate, 1, SUSPECT_UNDECIDED, none);
    assert_int_equal(gate_decide(gate, false, false).code, GATE_UNDECIDED);
    gate_confirm(gate, 1, SUSPECT_CONFIRMED, (struct causes){CAUSE_HOST, CAUSE_NONE});
    assert_int_equal(gate_decide(gate, false, false).code, GATE_REGRESSED);
    assert_int_equal(gate_suspects(gate, &count)[1].causes.first, CAUSE_HOST);
    assert_int_equal(gate_suspects(gate, &count)[0].causes.first, CAUSE_CARD);
}

static void without_the_program_of_the_base_two_nights_count(void **ctx)
{
    const struct causes none = {CAUSE_NONE, CAUSE_NONE};
    struct gate_reasons reasons;
    size_t count;

    (void)ctx;
    rules.confirm = true;
    add_night(slow_card);
    judge();
    gate_suspects(gate, &count);
    for (size_t i = 0; i < count; i++)
        gate_confirm(gate, i, SUSPECT_BASE_GONE, none);
    assert_int_equal(gate_decide(gate, false, false).code, GATE_UNDECIDED);
    for (size_t i = 0; i < count; i++)
        gate_set_since(gate, i, 2, "night-7 (2026-11-17)");
    assert_int_equal(gate_decide(gate, false, false).code, GATE_REGRESSED);
    gate_reasons_init(&reasons, gate);
    assert_int_equal(reasons.count, 1);
    assert_string_equal(
        reasons.reasons[0].text,
        "4 points are 5.0 % slower since night-7 (2026-11-17), because of card S3 of "
        "host node1; seen in two nights running, because the program of the base does "
        "not run any more");
    gate_reasons_clear(&reasons);
    gate_set_since(gate, 0, 1, "night-8 (2026-11-18)"); /* not all since one night */
    gate_reasons_init(&reasons, gate);
    assert_null(strstr(reasons.reasons[0].text, "since"));
    gate_reasons_clear(&reasons);
}

static void causes_that_are_not_listed_are_excused(void **ctx)
{
    (void)ctx;
    rules.causes = JOB_CAUSE_ALL & ~JOB_CAUSE_CARD;
    night_is(slow_card, GATE_PASSED,
             "no regression counts, because gate.causes does not list their causes");
    assert_int_equal(gate_decide(gate, false, false).suspects[WEIGHT_EXCUSED],
                     NIGHT_POINTS);
}

static void missing_values_are_undecided(void **ctx)
{
    (void)ctx;
    add_cell((struct night_cell){"m=9", "k9", NULL, 0, 0, 100, 0});
    night_is(equal, GATE_UNDECIDED,
             "not measured: 7 repeats have no result, on card S0 of host node0");
    gate_destroy(gate);
    rules.fail = JOB_FAIL_REGRESSED;
    gate = gate_create(comparison, &rules, evidence);
    assert_int_equal(gate_decide(gate, false, false).code, GATE_PASSED);
}

static void nothing_compared_is_undecided(void **ctx)
{
    (void)ctx;
    judge();
    assert_int_equal(gate_decide(gate, false, false).code, GATE_UNDECIDED);
}

/* Adds three repeats a side on eight cards, which cannot decide alone; each shift has
 * the noise of 1 %. */
static void add_eight_cards(double change)
{
    for (int card = 0; card < 8; card++) {
        char serial[16], text[32];

        snprintf(serial, sizeof(serial), "S%d", card);
        snprintf(text, sizeof(text), "m=1 card=%d", card);
        for (int side = 0; side < 2; side++)
            for (uint64_t i = 0; i < 3; i++)
                comparison_add_figure(
                    comparison, side,
                    &(struct comparison_figure){.point = text,
                                                .repeat = i,
                                                .host = "node0",
                                                .serial = serial,
                                                .card = card,
                                                .kernel = "add",
                                                .metric = "duration_us",
                                                .unit = "us",
                                                .value = 100 + (double)i +
                                                         side * (change + 0.1 * card)});
    }
    judge();
}

static void eight_cards_are_suspects_together(void **ctx)
{
    size_t count;

    (void)ctx;
    add_eight_cards(4);
    const struct suspect *suspect = gate_suspects(gate, &count);
    assert_int_equal(count, 1);
    assert_true(suspect->is_group);
    /* the changes are 4.0 to 4.7 %, and that of S3 is closest to their middle */
    assert_string_equal(suspect->cell.placed_serial, "S3");
    assert_int_equal(suspect->group_points, 1);
    assert_int_equal(suspect->group_cards, 8);
    assert_true(fabs(suspect->group_shift - suspect->cell.shift) < 0.001);
}

static void eight_cards_improve_together(void **ctx)
{
    struct gate_reasons reasons;

    (void)ctx;
    add_eight_cards(-21);
    assert_int_equal(gate_decide(gate, false, false).outcomes[OUTCOME_INCONCLUSIVE], 8);
    gate_reasons_init(&reasons, gate);
    assert_int_equal(reasons.improved_count, 1);
    assert_string_equal(
        reasons.improved[0],
        "point m=1 of kernel add is 25.7 % faster on 8 cards; check that it still does "
        "the same work");
    gate_reasons_clear(&reasons);
    rules.fail |= JOB_FAIL_IMPROVED;
    gate_destroy(gate);
    gate = gate_create(comparison, &rules, evidence);
    assert_int_equal(gate_decide(gate, false, false).code, GATE_REGRESSED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_nights_pass),
        TEST(a_slower_kernel_is_code),
        TEST(equal_code_is_not_the_cause),
        TEST(a_slow_card_is_named_by_serial),
        TEST(all_cards_of_a_host_are_the_host),
        TEST(another_environment_explains_that_everything_is_slower),
        TEST(everything_slower_without_evidence_has_no_cause),
        TEST(code_and_card_are_both_named),
        TEST(a_single_slow_cell_has_no_cause),
        TEST(equal_cycles_name_the_clock_of_the_card),
        TEST(a_slow_canary_excludes_the_code),
        TEST(a_canary_that_is_slow_on_all_cards_is_no_card),
        TEST(an_improved_kernel_passes_and_is_listed),
        TEST(improvements_fail_when_the_job_says_so),
        TEST(a_suspect_without_confirmation_is_undecided),
        TEST(confirmations_decide),
        TEST(without_the_program_of_the_base_two_nights_count),
        TEST(causes_that_are_not_listed_are_excused),
        TEST(missing_values_are_undecided),
        TEST(nothing_compared_is_undecided),
        TEST(eight_cards_are_suspects_together),
        TEST(eight_cards_improve_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
