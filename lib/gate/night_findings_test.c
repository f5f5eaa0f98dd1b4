#include "lib/gate/night_findings.h"

#include <math.h>

#include "lib/gate/false_alarms.h"
#include "tests/support/gate_fixture.h"

static double equal(int point, int card)
{
    (void)point;
    (void)card;
    return 1;
}

static double fast_kernel(int point, int card)
{
    (void)card;
    return point == 2 ? 0.7 : 1;
}

static double slow_card(int point, int card)
{
    (void)point;
    return card == 3 ? 1.05 : 1;
}

static void improved_points_are_named_once(void **ctx)
{
    struct night_findings findings;

    (void)ctx;
    add_night(fast_kernel);
    judge();
    night_findings_init(&findings, gate);
    assert_int_equal(findings.improved.count, 1); /* of six cards */
    assert_string_equal(findings.improved.points[0], "m=2");
    assert_int_equal(findings.not_reproduced.count, 0);
    assert_int_equal(findings.noisy.count, 0);
    night_findings_clear(&findings);
}

static void suspects_that_do_not_come_back_are_named(void **ctx)
{
    const struct causes none = {CAUSE_NONE, CAUSE_NONE};
    struct night_findings findings;
    size_t count;

    (void)ctx;
    add_night(slow_card);
    judge();
    const struct suspect *suspects = gate_suspects(gate, &count);
    assert_int_equal(count, NIGHT_POINTS);
    gate_confirm(gate, 0, SUSPECT_NOT_REPRODUCED, none);
    gate_confirm(gate, 1, SUSPECT_CONFIRMED, none);
    night_findings_init(&findings, gate);
    assert_int_equal(findings.not_reproduced.count, 1);
    assert_string_equal(findings.not_reproduced.points[0], suspects[0].cell.point);
    night_findings_clear(&findings);
}

/* Adds six earlier nights whose medians differ by this share. */
static void add_earlier_nights(double step)
{
    for (uint64_t night = 0; night < 6; night++) {
        comparison_begin_night(comparison, night + 1);
        for (int card = 0; card < NIGHT_CARDS; card++) {
            char serial[16], text[32];

            snprintf(serial, sizeof(serial), "S%d", card);
            snprintf(text, sizeof(text), "m=1 card=%d", card);
            comparison_add_night(
                comparison,
                &(struct comparison_figure){.point = text,
                                            .host = "node0",
                                            .serial = serial,
                                            .card = card,
                                            .kernel = "k1",
                                            .metric = "duration_us",
                                            .unit = "us",
                                            .value = 100 * (1 + (double)night * step)});
        }
    }
}

static void a_point_whose_nights_differ_is_noisy(void **ctx)
{
    struct night_findings findings;

    (void)ctx;
    add_night(equal);
    add_earlier_nights(0.03);
    judge();
    night_findings_init(&findings, gate);
    assert_int_equal(findings.noisy.count, 1);
    assert_string_equal(findings.noisy.points[0], "m=1");
    night_findings_clear(&findings);
}

static void a_point_with_similar_nights_is_not_noisy(void **ctx)
{
    struct night_findings findings;

    (void)ctx;
    add_night(equal);
    add_earlier_nights(0.002);
    judge();
    night_findings_init(&findings, gate);
    assert_int_equal(findings.noisy.count, 0);
    night_findings_clear(&findings);
}

/* Adds equal code and environments of both sides. */
static void add_equal_evidence(void)
{
    for (int card = 0; card < NIGHT_CARDS; card++)
        for (int side = 0; side < 2; side++) {
            char serial[16];

            snprintf(serial, sizeof(serial), "S%d", card);
            environments_set(gate_evidence_environments(evidence, side), serial,
                             &(struct environment){.driver = "1"});
        }
    for (int point = 0; point < NIGHT_POINTS; point++)
        for (int side = 0; side < 2; side++) {
            char name[32], kernel[16];

            snprintf(name, sizeof(name), "m=%d card=0", point);
            snprintf(kernel, sizeof(kernel), "k%d", point);
            gate_evidence_add_code(evidence, side, name, kernel, "same");
        }
}

static double one_cell(int point, int card)
{
    return point == 1 && card == 3 ? 1.05 : 1;
}

static void a_single_cell_of_equal_code_is_a_false_alarm(void **ctx)
{
    const struct causes none = {CAUSE_NONE, CAUSE_NONE};
    struct gate_equal_cells counted;

    (void)ctx;
    add_equal_evidence();
    add_night(one_cell);
    judge();
    counted = gate_count_equal(gate);
    assert_int_equal(counted.cells, NIGHT_CARDS * NIGHT_POINTS);
    assert_int_equal(counted.false_alarms, 1);
    gate_confirm(gate, 0, SUSPECT_CONFIRMED, none);
    assert_int_equal(gate_count_equal(gate).false_alarms, 0);
}

static void a_slow_card_is_one_only_when_fresh_runs_do_not_reproduce_it(void **ctx)
{
    const struct causes none = {CAUSE_NONE, CAUSE_NONE};

    (void)ctx;
    add_equal_evidence();
    add_night(slow_card);
    judge();
    assert_int_equal(gate_count_equal(gate).false_alarms, 0);
    gate_confirm(gate, 0, SUSPECT_NOT_REPRODUCED, none);
    assert_int_equal(gate_count_equal(gate).false_alarms, 1);
}

static void other_code_is_no_false_alarm(void **ctx)
{
    (void)ctx;
    add_night(one_cell);
    judge();
    assert_int_equal(gate_count_equal(gate).cells, 0);
    assert_int_equal(gate_count_equal(gate).false_alarms, 0);
}

static void the_rate_needs_ten_nights(void **ctx)
{
    struct baseline *baseline = baseline_create(false, 10);

    (void)ctx;
    add_equal_evidence();
    add_night(one_cell); /* 1 of 24 cells */
    judge();
    assert_true(isnan(false_alarms_rate(NULL, 20, gate)));
    for (uint64_t job = 1; job <= 8; job++)
        baseline_add_night(baseline,
                           &(struct baseline_night){.job_id = job,
                                                    .gated = true,
                                                    .equal_cells = 100,
                                                    .false_alarms = job == 1});
    baseline_add_night(baseline, &(struct baseline_night){.job_id = 9});
    assert_true(isnan(false_alarms_rate(baseline, 20, gate)));
    baseline_add_night(baseline, &(struct baseline_night){
                                     .job_id = 10, .gated = true, .equal_cells = 176});
    assert_true(fabs(false_alarms_rate(baseline, 20, gate) - 2.0 / 1000) < 1e-12);
    /* only the newest nine nights before the job */
    for (uint64_t job = 11; job <= 12; job++)
        baseline_add_night(
            baseline,
            &(struct baseline_night){.job_id = job, .gated = true, .equal_cells = 100});
    assert_true(fabs(false_alarms_rate(baseline, 20, gate) - 1.0 / 1000) < 1e-12);
    assert_true(isnan(false_alarms_rate(baseline, 8, gate)));
    baseline_destroy(baseline);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(improved_points_are_named_once),
        TEST(suspects_that_do_not_come_back_are_named),
        TEST(a_point_whose_nights_differ_is_noisy),
        TEST(a_point_with_similar_nights_is_not_noisy),
        TEST(a_single_cell_of_equal_code_is_a_false_alarm),
        TEST(a_slow_card_is_one_only_when_fresh_runs_do_not_reproduce_it),
        TEST(other_code_is_no_false_alarm),
        TEST(the_rate_needs_ten_nights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
