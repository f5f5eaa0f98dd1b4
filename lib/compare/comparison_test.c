#include "lib/compare/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/baseline.h"
#include "lib/compare/comparison_groups.h"
#include "lib/compare/metric_direction.h"
#include "lib/compare/point_key.h"
#include "tests/support/comparison_fixture.h"

/* Adds `count` repeats, each with a done task and a launch of kernel "add". */
static void
add(enum comparison_side side, const char *point, const double *values, size_t count)
{
    struct comparison_figure figure = {.point = point,
                                       .host = "node1",
                                       .serial = "S3",
                                       .card = 3,
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us"};

    for (size_t i = 0; i < count; i++) {
        comparison_add_task(comparison, side,
                            &(struct comparison_task){point, i, true});
        figure.repeat = i;
        figure.value = values[i];
        comparison_add_figure(comparison, side, &figure);
    }
}

static const double base[] = {100.00, 100.20, 99.90, 100.10, 100.04};
static const double slower[] = {103.00, 103.30, 102.90, 103.10, 103.12};
static const double fast[] = {97.00, 97.20, 96.90, 97.10, 97.04};
enum { REPEATS = 5 };

static void cells_are_joined_by_the_values_of_their_point(void **ctx)
{
    struct comparison_row row;

    (void)ctx;
    add(COMPARISON_BASE, "m=8 dtype=fp16", base, REPEATS);
    add(COMPARISON_NEW, "dtype=fp16 m=8", slower, REPEATS);
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 1);
    row = comparison_row(comparison, 0);
    assert_string_equal(row.point, "dtype=fp16 m=8");
    assert_string_equal(row.card, ""); /* the point names no card */
    assert_int_equal(row.outcome, OUTCOME_REGRESSED);
    assert_int_equal(row.base_count, 5);
    assert_int_equal(row.new_count, 5);
    assert_float_equal(row.base_median, 100.04, 1e-9);
    assert_float_equal(row.new_median, 103.10, 1e-9);
    assert_float_equal(100 * expm1(row.shift), 3.017, 0.0005);
    assert_float_equal(100 * expm1(row.low), 2.894, 0.0005);
    assert_float_equal(100 * expm1(row.high), 3.203, 0.0005);
    assert_float_equal(row.p_worse, 1.0 / 252, 1e-12);
    assert_float_equal(row.p_better, 1, 1e-12);
    assert_true(row.nights_unknown);
    assert_int_equal(comparison_total(comparison, OUTCOME_REGRESSED), 1);
}

static void a_repeat_is_the_median_of_its_launches(void **ctx)
{
    struct comparison_figure figure = {.point = "m=8",
                                       .host = "node1",
                                       .serial = "",
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us"};
    static const double launches[] = {10, 90, 12, 11, 80};
    struct comparison_row row;

    (void)ctx;
    for (figure.repeat = 0; figure.repeat < 3; figure.repeat++)
        for (size_t i = 0; i < 5; i++) {
            figure.metric = "cycles";
            figure.value = 1;
            comparison_add_figure(comparison, COMPARISON_BASE, &figure);
            figure.metric = "duration_us";
            figure.value = launches[i] + (double)figure.repeat;
            comparison_add_figure(comparison, COMPARISON_BASE, &figure);
        }
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 1); /* no cell of the cycles */
    row = comparison_row(comparison, 0);
    assert_int_equal(row.base_count, 3);
    assert_float_equal(row.base_median, 13, 0);
}

static void rows_are_sorted_by_outcome_and_size(void **ctx)
{
    static const double far[] = {113.00, 113.30, 112.90, 113.10, 113.12};

    (void)ctx;
    add(COMPARISON_BASE, "m=1", base, REPEATS);
    add(COMPARISON_NEW, "m=1", base, REPEATS);
    add(COMPARISON_BASE, "m=2", base, REPEATS);
    add(COMPARISON_NEW, "m=2", slower, REPEATS);
    add(COMPARISON_BASE, "m=3", base, REPEATS);
    add(COMPARISON_NEW, "m=3", far, REPEATS);
    add(COMPARISON_BASE, "m=4", base, REPEATS);
    add(COMPARISON_NEW, "m=4", fast, REPEATS);
    comparison_judge(comparison);
    assert_string_equal(comparison_row(comparison, 0).point, "m=3");
    assert_string_equal(comparison_row(comparison, 1).point, "m=2");
    assert_string_equal(comparison_row(comparison, 2).point, "m=4");
    assert_int_equal(comparison_row(comparison, 2).outcome, OUTCOME_IMPROVED);
    assert_string_equal(comparison_row(comparison, 3).point, "m=1");
    assert_int_equal(comparison_row(comparison, 3).outcome, OUTCOME_SAME);
}

static void equal_rows_have_the_order_of_the_numbers_in_their_points(void **ctx)
{
    static const char *const points[] = {"m=10048", "m=9", "m=1024"};
    static const char *const sorted[] = {"m=9", "m=1024", "m=10048"};
    size_t count;

    (void)ctx;
    for (size_t i = 0; i < COUNT(points); i++) {
        add(COMPARISON_BASE, points[i], base, REPEATS);
        add(COMPARISON_NEW, points[i], base, REPEATS);
    }
    comparison_judge(comparison);
    struct comparison_group *groups =
        comparison_groups(comparison, LEVEL_POINT, &count);
    assert_int_equal(count, COUNT(sorted));
    for (size_t i = 0; i < COUNT(sorted); i++) {
        assert_string_equal(comparison_row(comparison, i).point, sorted[i]);
        assert_string_equal(groups[i].point, sorted[i]);
    }
    free(groups);
}

static void what_one_job_lacks_is_gone_added_or_not_measured(void **ctx)
{
    (void)ctx;
    add(COMPARISON_BASE, "m=1", base, REPEATS); /* the new job has no such point */
    add(COMPARISON_NEW, "m=2", base, REPEATS);  /* the base has no such point */
    add(COMPARISON_BASE, "m=3", base, REPEATS); /* its tasks failed */
    for (size_t i = 0; i < 7; i++)
        comparison_add_task(comparison, COMPARISON_NEW,
                            &(struct comparison_task){"m=3", i, false});
    add(COMPARISON_BASE, "m=4", base, REPEATS); /* done, without the figure */
    comparison_add_task(comparison, COMPARISON_NEW,
                        &(struct comparison_task){"m=4", 0, true});
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 4);
    assert_int_equal(comparison_row(comparison, 0).outcome, OUTCOME_NOT_MEASURED);
    assert_string_equal(comparison_row(comparison, 0).point, "m=3");
    assert_int_equal(comparison_row(comparison, 0).missing, 7);
    assert_true(isnan(comparison_row(comparison, 0).shift));
    assert_int_equal(comparison_row(comparison, 1).outcome, OUTCOME_NOT_MEASURED);
    assert_string_equal(comparison_row(comparison, 1).point, "m=4");
    assert_int_equal(comparison_row(comparison, 2).outcome, OUTCOME_GONE);
    assert_string_equal(comparison_row(comparison, 2).point, "m=1");
    assert_int_equal(comparison_row(comparison, 3).outcome, OUTCOME_ADDED);
    assert_string_equal(comparison_row(comparison, 3).point, "m=2");
    assert_int_equal(comparison_missing(comparison), 7);
}

/* The task of repeat 5 failed after the launch whose figure it has. */
static void figures_of_a_failed_task_are_no_repeat(void **ctx)
{
    const struct comparison_figure figure = {.point = "m=8",
                                             .repeat = REPEATS,
                                             .host = "node1",
                                             .serial = "S3",
                                             .kernel = "add",
                                             .metric = "duration_us",
                                             .unit = "us",
                                             .value = 500};
    struct comparison_row row;

    (void)ctx;
    add(COMPARISON_BASE, "m=8", base, REPEATS);
    add(COMPARISON_NEW, "m=8", base, REPEATS);
    comparison_add_task(comparison, COMPARISON_NEW,
                        &(struct comparison_task){"m=8", REPEATS, false});
    comparison_add_figure(comparison, COMPARISON_NEW, &figure);
    comparison_judge(comparison);
    row = comparison_row(comparison, 0);
    assert_int_equal(row.new_count, REPEATS);
    assert_int_equal(row.missing, 1);
    assert_int_equal(row.outcome, OUTCOME_SAME);
    assert_float_equal(row.new_median, 100.04,
                       1e-9); /* with the 500 it would be 100.07 */
}

/* The point keeps card 3 of node1, but the card has another serial number. */
static void a_replaced_card_is_gone_and_its_successor_added(void **ctx)
{
    struct comparison_figure figure = {.point = "m=8 card=3",
                                       .host = "node1",
                                       .serial = "NEW",
                                       .card = 3,
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us",
                                       .value = 100};

    (void)ctx;
    add(COMPARISON_BASE, "m=8 card=3", base, REPEATS);
    comparison_add_task(comparison, COMPARISON_NEW,
                        &(struct comparison_task){"m=8 card=3", 0, true});
    comparison_add_figure(comparison, COMPARISON_NEW, &figure);
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 2);
    assert_int_equal(comparison_row(comparison, 0).outcome, OUTCOME_GONE);
    assert_string_equal(comparison_row(comparison, 0).card, "S3");
    assert_string_equal(comparison_row(comparison, 0).point, "m=8");
    assert_int_equal(comparison_row(comparison, 1).outcome, OUTCOME_ADDED);
    assert_string_equal(comparison_row(comparison, 1).card, "NEW");
}

static void simulated_and_measured_figures_are_not_compared(void **ctx)
{
    struct comparison_figure figure = {.point = "m=8",
                                       .host = "node1",
                                       .serial = "S3",
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us",
                                       .simulated = true};

    (void)ctx;
    add(COMPARISON_BASE, "m=8", base, REPEATS);
    for (size_t i = 0; i < REPEATS; i++) {
        figure.repeat = i;
        figure.value = slower[i];
        comparison_add_figure(comparison, COMPARISON_NEW, &figure);
    }
    comparison_judge(comparison);
    assert_int_equal(comparison_row(comparison, 0).outcome, OUTCOME_INCONCLUSIVE);
    assert_string_equal(comparison_row(comparison, 0).reason, "measured-otherwise");
    assert_true(comparison_is_simulated(comparison));
}

/* Adds five repeats that were measured by this method, 3 % slower in the new job. */
static void add_method(enum comparison_side side, const char *method)
{
    struct comparison_figure figure = {.point = "m=8",
                                       .host = "node1",
                                       .serial = "S3",
                                       .card = 3,
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us",
                                       .method = method};

    for (figure.repeat = 0; figure.repeat < REPEATS; figure.repeat++) {
        figure.value = (side == COMPARISON_NEW ? slower : base)[figure.repeat];
        comparison_add_figure(comparison, side, &figure);
    }
}

static void figures_of_different_methods_are_not_compared(void **ctx)
{
    (void)ctx;
    add_method(COMPARISON_BASE, "replay=kernel warmup=0");
    add_method(COMPARISON_NEW, "replay=kernel warmup=5");
    comparison_judge(comparison);
    assert_int_equal(comparison_row(comparison, 0).outcome, OUTCOME_INCONCLUSIVE);
    assert_true(comparison_row(comparison, 0).measured_otherwise);
    assert_string_equal(comparison_row(comparison, 0).reason,
                        "measured-otherwise; warmup 0 became 5");
}

static void an_unknown_method_can_be_compared(void **ctx)
{
    (void)ctx;
    add_method(COMPARISON_BASE, NULL);
    add_method(COMPARISON_NEW, "replay=kernel warmup=5");
    comparison_judge(comparison);
    assert_int_equal(comparison_row(comparison, 0).outcome, OUTCOME_REGRESSED);
    assert_false(comparison_row(comparison, 0).measured_otherwise);
}

/* Adds nights 1 to 3, of which the last was measured by the method of the new job 4. */
static void add_nights_of_methods(const char *last)
{
    struct comparison_figure figure = {.point = "m=8",
                                       .host = "node1",
                                       .serial = "S3",
                                       .card = 3,
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us"};

    for (uint64_t job = 1; job <= 3; job++) {
        comparison_begin_night(comparison, job);
        figure.method = job == 3 ? last : "warmup=0";
        for (figure.repeat = 0; figure.repeat < REPEATS; figure.repeat++) {
            figure.value = job == 3 ? base[figure.repeat] : 50;
            comparison_add_night(comparison, &figure);
        }
    }
}

static void nights_of_another_method_do_not_count(void **ctx)
{
    struct baseline *baseline = baseline_create(false, 10);

    (void)ctx;
    for (uint64_t job = 1; job <= 3; job++)
        baseline_add_night(baseline,
                           &(struct baseline_night){.job_id = job, .passed = true});
    for (int has_night = 1; has_night >= 0; has_night--) {
        comparison_destroy(comparison);
        comparison =
            comparison_create(&(struct comparison_settings){.metric = "duration_us",
                                                            .tolerance = 0.02,
                                                            .baseline = baseline,
                                                            .new_job_id = 4});
        add_method(COMPARISON_NEW, "warmup=5");
        add_nights_of_methods(has_night ? "warmup=5" : "warmup=0");
        comparison_judge(comparison);
        struct comparison_row row = comparison_row(comparison, 0);
        assert_int_equal(comparison_count(comparison), 1);
        assert_int_equal(row.base_count, has_night ? REPEATS : 0);
        assert_int_equal(row.outcome,
                         has_night ? OUTCOME_REGRESSED : OUTCOME_INCONCLUSIVE);
        assert_string_equal(row.reason,
                            has_night ? "" : "measured-otherwise; warmup 0 became 5");
    }
    baseline_destroy(baseline);
}

static void measured_figures_are_not_marked_as_simulated(void **ctx)
{
    (void)ctx;
    add(COMPARISON_BASE, "m=8", base, REPEATS);
    add(COMPARISON_NEW, "m=8", slower, REPEATS);
    comparison_judge(comparison);
    assert_false(comparison_is_simulated(comparison));
}

/* Nights as unequal as these hide a change of 3 %; without them it is a regression. */
static void a_change_must_exceed_the_noise_between_nights(void **ctx)
{
    static const double nights[] = {100, 103, 98.5, 101, 99, 104, 97.5, 102};
    struct comparison_figure figure = {.point = "m=8",
                                       .host = "node1",
                                       .serial = "S3",
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us"};
    struct comparison_row row;

    (void)ctx;
    add(COMPARISON_BASE, "m=8", base, REPEATS);
    add(COMPARISON_NEW, "m=8", slower, REPEATS);
    for (size_t i = 0; i < 8; i++) {
        comparison_begin_night(comparison, i + 1);
        for (figure.repeat = 0; figure.repeat < 3; figure.repeat++) {
            figure.value =
                nights[i] + (double)figure.repeat - 1; /* median: nights[i] */
            comparison_add_night(comparison, &figure);
        }
        figure.point = "m=9"; /* a point of no job makes no cell */
        comparison_add_night(comparison, &figure);
        figure.point = "m=8";
    }
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 1);
    row = comparison_row(comparison, 0);
    assert_int_equal(row.nights, 8);
    assert_false(row.nights_unknown);
    assert_true(row.night_noise > log(1.0876)); /* the base is one night, not eight */
    assert_int_equal(row.outcome, OUTCOME_INCONCLUSIVE);
    assert_string_equal(row.reason, "nights");
}

/* Adds the nights of jobs 1 to 6 of the point; each has two repeats around its level.
 */
static void add_nights(struct comparison *compared, const char *point)
{
    static const double levels[] = {100, 100.4, 99.8, 110, 110.4, 109.8};
    struct comparison_figure figure = {.point = point,
                                       .host = "node1",
                                       .serial = "S3",
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us"};

    for (uint64_t job = 1; job <= 6; job++) {
        comparison_begin_night(compared, job);
        for (figure.repeat = 0; figure.repeat < 2; figure.repeat++) {
            figure.value = levels[job - 1] + (figure.repeat ? 0.1 : -0.1);
            comparison_add_night(compared, &figure);
        }
    }
}

static void the_nights_of_a_baseline_are_the_base(void **ctx)
{
    static const double fresh[] = {111, 111.2, 110.9, 111.1, 111.3};
    struct baseline *baseline = baseline_create(false, 10);
    struct comparison_row row;

    (void)ctx;
    for (uint64_t job = 1; job <= 6; job++)
        baseline_add_night(baseline,
                           &(struct baseline_night){.job_id = job, .passed = job != 2});
    baseline_add_split(baseline, 4, "m=8");
    baseline_add_quarantine(baseline, "m=10", "noisy");
    comparison_destroy(comparison);
    comparison =
        comparison_create(&(struct comparison_settings){.metric = "duration_us",
                                                        .tolerance = 0.02,
                                                        .baseline = baseline,
                                                        .new_job_id = 7});
    add(COMPARISON_NEW, "m=8", fresh, REPEATS);
    add(COMPARISON_NEW, "m=9", fresh, REPEATS);
    add(COMPARISON_NEW, "m=10", fresh, REPEATS);
    comparison_add_task(comparison, COMPARISON_NEW,
                        &(struct comparison_task){"m=10", REPEATS, false});
    add_nights(comparison, "m=8");
    add_nights(comparison, "m=9");
    add_nights(comparison, "m=10");
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 3);
    row = comparison_row(comparison, 1); /* equal cells come last */
    assert_string_equal(row.point, "m=8");
    assert_int_equal(row.outcome, OUTCOME_SAME);
    assert_int_equal(row.base_count, 6); /* of jobs 4, 5 and 6 */
    assert_float_equal(row.base_median, 110, 1e-9);
    assert_true(row.nights_unknown);
    assert_string_equal(row.quarantine, "");
    /* Without a split the point is compared with all nights that passed. */
    row = comparison_row(comparison, 0);
    assert_string_equal(row.point, "m=9");
    assert_int_equal(row.outcome, OUTCOME_INCONCLUSIVE);
    assert_string_equal(row.reason, "spread");
    assert_int_equal(row.base_count, 10);
    assert_int_equal(row.nights, 5);
    assert_float_equal(row.base_median, 109.8, 1e-9);
    row = comparison_row(comparison, 2);
    assert_string_equal(row.point, "m=10");
    assert_string_equal(row.quarantine, "noisy");
    assert_int_equal(comparison_quarantined(comparison), 1);
    assert_int_equal(comparison_total(comparison, OUTCOME_SAME), 1);
    assert_int_equal(comparison_total(comparison, OUTCOME_INCONCLUSIVE), 1);
    assert_int_equal(comparison_missing(comparison), 0);
    baseline_destroy(baseline);
}

static void two_empty_jobs_have_no_cells(void **ctx)
{
    (void)ctx;
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 0);
}

static void check_key(const char *point, const char *expected, bool expected_pinned)
{
    bool pinned;
    char *key = point_key(point, &pinned);

    assert_string_equal(key, expected);
    assert_int_equal(pinned, expected_pinned);
    free(key);
}

static void a_point_is_its_values_without_the_card(void **ctx)
{
    (void)ctx;
    check_key("m=8 card=3 dtype=fp16", "dtype=fp16 m=8", true);
    check_key("card=3", "", true);
    check_key("", "", false);
    check_key("cards=3", "cards=3", false);
}

static void rates_are_better_when_they_grow(void **ctx)
{
    (void)ctx;
    assert_true(metric_more_is_better("aic_l2_hit_rate"));
    assert_true(metric_more_is_better("aiv_ub_read_bw_gm"));
    assert_false(metric_more_is_better("duration_us"));
    assert_false(metric_more_is_better("aic_cycles_max"));
    assert_float_equal(metric_tick("duration_us", "us", 0), 0.02, 0);
    assert_float_equal(metric_tick("duration_us", "us", 1), 0.001, 0);
    assert_float_equal(metric_tick("aic_cycles_max", "", 1), 0, 0);
}

/* 0.80 and 0.86 us differ by three steps of a 50 MHz clock, and by one of a clock of
 * 60 ns. Two steps are no change. */
static void a_change_within_two_steps_of_the_clock_is_none(void **ctx)
{
    static const struct {
        double base_ns, new_ns;
        enum comparison_outcome outcome;
    } cases[] = {
        {20, 20, OUTCOME_REGRESSED}, {0, 0, OUTCOME_REGRESSED},
        {1, 1, OUTCOME_REGRESSED},   {60, 60, OUTCOME_SAME},
        {20, 60, OUTCOME_SAME},      {60, 20, OUTCOME_SAME},
    };
    struct comparison_figure figure = {.host = "node1",
                                       .serial = "",
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us"};
    char point[16];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int side = 0; side < 2; side++) {
            snprintf(point, sizeof(point), "m=%zu", i);
            figure.point = point;
            figure.value = side == COMPARISON_BASE ? 0.80 : 0.86;
            figure.tick_ns =
                side == COMPARISON_BASE ? cases[i].base_ns : cases[i].new_ns;
            for (figure.repeat = 0; figure.repeat < 8; figure.repeat++)
                comparison_add_figure(comparison, side, &figure);
        }
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), COUNT(cases));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct comparison_row row = comparison_row(comparison, i);

        assert_int_equal(row.outcome, cases[row.point[2] - '0'].outcome);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(cells_are_joined_by_the_values_of_their_point),
        CASE(a_repeat_is_the_median_of_its_launches),
        CASE(a_change_within_two_steps_of_the_clock_is_none),
        CASE(rows_are_sorted_by_outcome_and_size),
        CASE(equal_rows_have_the_order_of_the_numbers_in_their_points),
        CASE(what_one_job_lacks_is_gone_added_or_not_measured),
        CASE(figures_of_a_failed_task_are_no_repeat),
        CASE(a_replaced_card_is_gone_and_its_successor_added),
        CASE(simulated_and_measured_figures_are_not_compared),
        CASE(measured_figures_are_not_marked_as_simulated),
        CASE(a_change_must_exceed_the_noise_between_nights),
        CASE(the_nights_of_a_baseline_are_the_base),
        CASE(figures_of_different_methods_are_not_compared),
        CASE(an_unknown_method_can_be_compared),
        CASE(nights_of_another_method_do_not_count),
        CASE(two_empty_jobs_have_no_cells),
        CASE(a_point_is_its_values_without_the_card),
        CASE(rates_are_better_when_they_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
