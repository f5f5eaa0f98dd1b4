#include "lib/compare/disturbed.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/compare/baseline.h"
#include "lib/compare/trends/night_trends.h"
#include "tests/support/comparison_fixture.h"

enum { REPEATS = 5, HOT = 1, OTHER = 2, ERROR = 4 };

static const double base[] = {100.00, 100.20, 99.90, 100.10, 100.04};
static const double disturbed[] = {100.12, 140.00, 99.94, 141.00, 100.16};

static struct comparison_figure
figure_of(const char *point, uint64_t repeat, const char *metric, double value)
{
    return (struct comparison_figure){.point = point,
                                      .repeat = repeat,
                                      .host = "node1",
                                      .serial = "S3",
                                      .card = 3,
                                      .kernel = "add",
                                      .metric = metric,
                                      .unit = "us",
                                      .value = value};
}

/* Adds `count` repeats, each with a done task and a launch. */
static void
add(enum comparison_side side, const char *point, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct comparison_figure figure = figure_of(point, i, "duration_us", values[i]);

        comparison_add_task(comparison, side,
                            &(struct comparison_task){point, i, true});
        comparison_add_figure(comparison, side, &figure);
    }
}

/* Marks a launch of a repeat; the mark comes before or after its other figures. */
static void
mark(enum comparison_side side, const char *point, uint64_t repeat, double value)
{
    struct comparison_figure figure = figure_of(point, repeat, "disturbed", value);

    comparison_add_figure(comparison, side, &figure);
}

static void a_disturbance_is_one_number(void **ctx)
{
    static const struct disturbance all[] = {{true, false, 0},
                                             {false, true, 0},
                                             {true, true, 0},
                                             {false, false, 2},
                                             {true, true, UINT32_MAX}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(all); i++) {
        struct disturbance is = disturbance_unpack(disturbance_pack(&all[i]));

        assert_int_equal(is.throttled, all[i].throttled);
        assert_int_equal(is.other_process, all[i].other_process);
        assert_int_equal(is.memory_errors, all[i].memory_errors);
    }
    assert_float_equal(disturbance_pack(&all[3]), 8, 0);
    assert_int_equal(disturbance_unpack(NAN).memory_errors, 0);
    assert_int_equal(disturbance_unpack(1e300).memory_errors, 0);
    assert_int_equal(disturbance_unpack(-4).memory_errors, 0);
}

static void repeats_of_a_throttled_card_are_left_out(void **ctx)
{
    static const double slower[] = {103.00, 103.30, 102.90, 103.10, 103.12};
    struct comparison_row row;

    (void)ctx;
    mark(COMPARISON_NEW, "card=3 m=1", 1, HOT);
    add(COMPARISON_BASE, "card=3 m=1", base, REPEATS);
    add(COMPARISON_NEW, "card=3 m=1", disturbed, REPEATS);
    mark(COMPARISON_NEW, "card=3 m=1", 3, HOT);
    add(COMPARISON_BASE, "m=2", disturbed, REPEATS);
    add(COMPARISON_NEW, "m=2", slower, REPEATS);
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++)
        mark(COMPARISON_NEW, "m=2", repeat, HOT);
    for (uint64_t repeat = 1; repeat < REPEATS; repeat++)
        mark(COMPARISON_BASE, "m=2", repeat, HOT);
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 2); /* the marks are no cells */
    row = comparison_row(comparison, 1);               /* equal cells come last */
    assert_string_equal(row.point, "m=1");
    assert_int_equal(row.outcome, OUTCOME_SAME);
    assert_int_equal(row.new_count, 3);
    assert_float_equal(row.new_median, 100.12, 1e-9);
    assert_string_equal(row.reason,
                        "not measured: card S3 was throttled in 2 of 5 repeats");
    row = comparison_row(comparison, 0);
    assert_int_equal(row.outcome, OUTCOME_INCONCLUSIVE);
    assert_int_equal(row.base_count, 1);
    assert_int_equal(row.new_count, REPEATS); /* all were throttled: all stay */
    assert_string_equal(row.reason, "few; not measured: card S3 was throttled in 4 "
                                    "of 5 repeats of the base");
}

static void memory_errors_and_other_processes_are_left_out(void **ctx)
{
    struct comparison_row row;

    (void)ctx;
    add(COMPARISON_BASE, "card=3 m=1", base, REPEATS);
    add(COMPARISON_NEW, "card=3 m=1", disturbed, REPEATS);
    mark(COMPARISON_NEW, "card=3 m=1", 1, ERROR);
    mark(COMPARISON_NEW, "card=3 m=1", 1, ERROR); /* another launch of the repeat */
    mark(COMPARISON_NEW, "card=3 m=1", 3, OTHER);
    comparison_judge(comparison);
    row = comparison_row(comparison, 0);
    assert_int_equal(row.outcome, OUTCOME_SAME);
    assert_int_equal(row.new_count, 3);
    assert_float_equal(row.new_median, 100.12, 1e-9);
    assert_string_equal(row.reason,
                        "not measured: card S3 had 2 new memory errors in 1 of 5 "
                        "repeats; another process used card S3 in 1 of 5 repeats");
}

/* Unlike a low clock, neither is a state of the card that can be judged. */
static void repeats_that_never_count_do_not_stay_when_all_have_them(void **ctx)
{
    static const struct {
        const char *point;
        enum comparison_side side;
        double marks[REPEATS];
        const char *reason;
    } cases[] = {
        {"card=3 m=1",
         COMPARISON_NEW,
         {OTHER, OTHER, OTHER, OTHER, OTHER},
         "not measured: another process used card S3 in 5 of 5 repeats"},
        {"m=2",
         COMPARISON_BASE,
         {ERROR, ERROR, ERROR, ERROR, ERROR},
         "not measured: card S3 had 5 new memory errors in 5 of 5 repeats of the "
         "base"},
        {"m=3",
         COMPARISON_NEW,
         {OTHER, HOT + OTHER, OTHER, HOT + ERROR, ERROR},
         "not measured: card S3 had 2 new memory errors in 2 of 5 repeats; another "
         "process used card S3 in 3 of 5 repeats"},
        {"m=4", /* the low clocks are those of all others */
         COMPARISON_NEW,
         {OTHER, HOT, HOT, HOT, HOT},
         "not measured: another process used card S3 in 1 of 5 repeats"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        add(COMPARISON_BASE, cases[i].point, base, REPEATS);
        add(COMPARISON_NEW, cases[i].point, base, REPEATS);
        for (uint64_t repeat = 0; repeat < REPEATS; repeat++)
            mark(cases[i].side, cases[i].point, repeat, cases[i].marks[repeat]);
    }
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), COUNT(cases));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct comparison_row row = comparison_row(comparison, i);
        size_t number = (size_t)(row.point[2] - '1');
        size_t left = number == 3 ? 4 : 0;

        assert_int_equal(row.outcome,
                         number == 3 ? OUTCOME_SAME : OUTCOME_NOT_MEASURED);
        assert_int_equal(cases[number].side == COMPARISON_NEW ? row.new_count
                                                              : row.base_count,
                         left);
        assert_string_equal(row.reason, cases[number].reason);
    }
}

/* Both ranks have a launch of their own kernel in each repeat. Rank 1, on card S4, is
 * disturbed in repeats 1 and 3; its card has errors in repeat 1, and rank 0 in
 * repeat 3.
 */
static void the_whole_repeat_of_a_gang_is_left_out(void **ctx)
{
    static const struct {
        uint64_t repeat, rank;
        double value;
    } marks[] = {{1, 1, HOT + 2 * ERROR}, {3, 1, HOT}, {3, 0, ERROR}};
    struct comparison_row row;

    (void)ctx;
    for (uint64_t rank = 0; rank < 2; rank++)
        for (int side = 0; side < 2; side++)
            for (uint64_t i = 0; i < REPEATS; i++) {
                struct comparison_figure figure =
                    figure_of("m=1", i, "duration_us", side ? disturbed[i] : base[i]);

                figure.rank = rank;
                figure.serial = rank ? "S4" : "S3";
                figure.kernel = rank ? "expert" : "attention";
                comparison_add_figure(comparison, (enum comparison_side)side, &figure);
            }
    for (size_t i = 0; i < COUNT(marks); i++) {
        struct comparison_figure figure =
            figure_of("m=1", marks[i].repeat, "disturbed", marks[i].value);

        figure.rank = marks[i].rank;
        figure.serial = marks[i].rank ? "S4" : "S3";
        figure.kernel = marks[i].rank ? "expert" : "attention";
        comparison_add_figure(comparison, COMPARISON_NEW, &figure);
    }
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 2);
    for (size_t i = 0; i < 2; i++) {
        row = comparison_row(comparison, i);
        assert_int_equal(row.rank, i);
        assert_string_equal(row.placed_serial, i ? "S4" : "S3");
        assert_int_equal(row.outcome, OUTCOME_SAME);
        assert_int_equal(row.base_count, REPEATS);
        assert_int_equal(row.new_count, 3);
        assert_float_equal(row.new_median, 100.12, 1e-9);
        assert_string_equal(
            row.reason, "not measured: card S4 was throttled in 2 of 5 repeats; card "
                        "S4 or S3 had 3 new memory errors in 2 of 5 repeats");
    }
}

/* Adds eight nights; with `disturb` the first of three repeats is far off. */
static struct comparison_row judge_nights(const struct baseline *baseline, bool disturb)
{
    static const double nights[] = {100, 103, 98.5, 101, 99, 104, 97.5, 102};

    comparison_destroy(comparison);
    comparison =
        comparison_create(&(struct comparison_settings){.metric = "duration_us",
                                                        .tolerance = 0.02,
                                                        .baseline = baseline,
                                                        .new_job_id = 9});
    if (!baseline)
        add(COMPARISON_BASE, "m=8", base, REPEATS);
    add(COMPARISON_NEW, "m=8", base, REPEATS);
    for (size_t i = 0; i < COUNT(nights); i++) {
        comparison_begin_night(comparison, i + 1);
        for (uint64_t repeat = 0; repeat < 3; repeat++) {
            bool is_off = disturb && repeat == i % 3;
            struct comparison_figure figure =
                figure_of("m=8", repeat, "duration_us",
                          nights[i] + (is_off           ? 50
                                       : repeat > i % 3 ? 0.01
                                                        : -0.01));

            if (disturb || repeat != i % 3)
                comparison_add_night(comparison, &figure);
            figure = figure_of("m=8", repeat, "disturbed", i % 2 ? HOT : OTHER);
            if (is_off)
                comparison_add_night(comparison, &figure);
        }
    }
    comparison_judge(comparison);
    assert_int_equal(comparison_count(comparison), 1);
    return comparison_row(comparison, 0);
}

static void disturbed_repeats_add_no_noise_of_nights(void **ctx)
{
    struct baseline *baseline = baseline_create(false, 10);

    (void)ctx;
    for (uint64_t job = 1; job <= 8; job++)
        baseline_add_night(baseline,
                           &(struct baseline_night){.job_id = job, .passed = true});
    for (int i = 0; i < 2; i++) {
        double spread = judge_nights(i ? baseline : NULL, false).night_spread;
        struct comparison_row row = judge_nights(i ? baseline : NULL, true);

        assert_int_equal(row.nights, 8);
        assert_true(spread > 0.02 && spread < 0.03);
        assert_float_equal(row.night_spread, spread, 1e-12);
    }
    baseline_destroy(baseline);
}

static void
add_to_trend(struct night_trends *trends, uint64_t repeat, double value, double marked)
{
    struct comparison_figure figure = figure_of("m=1", repeat, "duration_us", value);

    night_trends_add(trends, &figure);
    figure = figure_of("m=1", repeat, "disturbed", marked);
    if (marked > 0)
        night_trends_add(trends, &figure);
}

/* Nights 0 to 11; all repeats of night 5 have a low clock, all of night 7 another
 * process, and one repeat of each other night is disturbed. */
static void trends_do_not_contain_disturbed_repeats(void **ctx)
{
    struct night_trends *trends =
        night_trends_create(&(struct night_trends_settings){.level = TREND_OF_POINTS,
                                                            .metric = "duration_us",
                                                            .tolerance = 0.02,
                                                            .least_change = 0.01});
    const struct night_trend *row;

    (void)ctx;
    for (uint64_t night = 0; night < 12; night++) {
        double kind = night % 3 == 0 ? HOT : night % 3 == 1 ? OTHER : ERROR;

        night_trends_begin_night(trends, night + 1);
        if (night == 5 || night == 7)
            kind = night == 5 ? HOT : OTHER;
        for (uint64_t repeat = 0; repeat < 2; repeat++)
            add_to_trend(trends, repeat, repeat == night % 2 ? 150 : 100,
                         repeat == night % 2 || night == 5 || night == 7 ? kind : 0);
    }
    night_trends_begin_anchor_job(trends, 20, NULL);
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++)
        add_to_trend(trends, repeat, repeat < 2 ? 150 : 97, repeat < 2 ? HOT : 0);
    night_trends_judge(trends, NULL);
    row = night_trends_row(trends, 0);
    assert_int_equal(night_trends_count(trends), 1);
    assert_int_equal(row->value_count, 11);
    for (size_t night = 0; night < 12; night++)
        if (night != 7)
            assert_float_equal(row->values[night], night == 5 ? 125 : 100, 1e-9);
    assert_true(isnan(row->values[7])); /* another process in all its repeats */
    assert_true(row->anchor.is_compared);
    assert_float_equal(row->anchor.change, log(100.0 / 97), 1e-9);
    night_trends_destroy(trends);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_disturbance_is_one_number),
        CASE(repeats_of_a_throttled_card_are_left_out),
        CASE(memory_errors_and_other_processes_are_left_out),
        CASE(repeats_that_never_count_do_not_stay_when_all_have_them),
        CASE(the_whole_repeat_of_a_gang_is_left_out),
        CASE(disturbed_repeats_add_no_noise_of_nights),
        CASE(trends_do_not_contain_disturbed_repeats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
