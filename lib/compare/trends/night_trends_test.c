#include "lib/compare/trends/night_trends.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/compare/baseline.h"
#include "tests/support/unit.h"

static struct night_trends *trends;
static const double pattern[] = {0.1, -0.2, 0, 0.2, -0.1};

static void create(enum night_trends_level level)
{
    trends =
        night_trends_create(&(struct night_trends_settings){.level = level,
                                                            .metric = "duration_us",
                                                            .tolerance = 0.02,
                                                            .least_change = 0.01});
}

static int tear_down(void **ctx)
{
    (void)ctx;
    night_trends_destroy(trends);
    trends = NULL;
    return 0;
}

/* Adds three repeats of two launches around the value; their median is the value. */
static void add(const char *point, const char *serial, double value)
{
    struct comparison_figure figure = {.point = point,
                                       .host = "node1",
                                       .serial = serial,
                                       .kernel = "add",
                                       .metric = "duration_us",
                                       .unit = "us",
                                       .tick_ns = 20};

    for (figure.repeat = 0; figure.repeat < 3; figure.repeat++)
        for (int launch = 0; launch < 2; launch++) {
            figure.value = value + (double)figure.repeat - 1 + (launch ? 0.25 : -0.25);
            night_trends_add(trends, &figure);
        }
    figure.metric = "cycles"; /* not asked for */
    night_trends_add(trends, &figure);
}

static double level_of(size_t night, size_t change, double before, double after)
{
    return (night < change ? before : after) + pattern[night % 5];
}

/* Series A and E of the reference page, and one without a change. */
static void points_with_worse_changes_come_first(void **ctx)
{
    const struct night_trend *row;

    (void)ctx;
    create(TREND_OF_POINTS);
    for (size_t night = 0; night < 30; night++) {
        night_trends_begin_night(trends, night + 1);
        add("m=1", "", level_of(night, 30, 100, 100));
        add("m=2", "", level_of(night, 27, 100, 103));
        add("m=3", "", level_of(night, 15, 100, 103));
        add("m=4", "", level_of(night, 15, 103, 100));
    }
    night_trends_judge(trends, NULL);
    assert_int_equal(night_trends_count(trends), 4);
    assert_int_equal(night_trends_night_count(trends), 30);
    row = night_trends_row(trends, 0);
    assert_string_equal(row->point, "m=2");
    assert_int_equal(row->trend.boundary_count, 1);
    assert_int_equal(row->trend.boundaries[0].night, 27);
    assert_float_equal(100 * expm1(row->trend.boundaries[0].change), 3.037, 0.0005);
    assert_false(row->trend.boundaries[0].confirmed);
    row = night_trends_row(trends, 1);
    assert_string_equal(row->point, "m=3");
    assert_int_equal(row->trend.boundaries[0].night, 15);
    assert_true(row->trend.boundaries[0].confirmed);
    assert_float_equal(night_trend_last_change(row), log(1.03), 1e-4);
    assert_float_equal(row->level, 103, 1e-9);
    row = night_trends_row(trends, 2);
    assert_string_equal(row->point, "m=4");
    assert_true(night_trend_last_change(row) < 0);
    row = night_trends_row(trends, 3);
    assert_string_equal(row->point, "m=1");
    assert_int_equal(row->trend.boundary_count, 0);
    assert_int_equal(row->value_count, 30);
}

static void nights_without_a_value_leave_a_gap(void **ctx)
{
    const struct night_trend *row;

    (void)ctx;
    create(TREND_OF_POINTS);
    for (size_t night = 0; night < 20; night++) {
        night_trends_begin_night(trends, 10 * night);
        if (night >= 4 && night != 12 && night != 19)
            add("m=1", "", 100);
    }
    night_trends_judge(trends, NULL);
    row = night_trends_row(trends, 0);
    assert_int_equal(row->value_count, 14);
    assert_true(isnan(row->values[3]) && isnan(row->values[12]) &&
                isnan(row->values[19]));
    assert_float_equal(row->values[4], 100, 1e-9);
    assert_int_equal(night_trends_job_id(trends, 12), 120);
}

/* Card 1 of three becomes 5 % slower; the points have very different durations. */
static void a_card_is_followed_over_all_its_points(void **ctx)
{
    static const double levels[] = {10, 500, 30000};
    const struct night_trend *row;
    char point[32], serial[16];

    (void)ctx;
    create(TREND_OF_CARDS);
    for (size_t night = 0; night < 20; night++) {
        night_trends_begin_night(trends, night + 1);
        for (int card = 0; card < 3; card++)
            for (int m = 0; m < 3; m++) {
                double factor = 1 + pattern[(night + (size_t)m) % 5] / 100;

                if (card == 1 && night >= 12)
                    factor *= 1.05;
                snprintf(point, sizeof(point), "m=%d card=%d", m, card);
                snprintf(serial, sizeof(serial), "S%d", card);
                add(point, serial, levels[m] * factor);
            }
    }
    night_trends_judge(trends, NULL);
    assert_int_equal(night_trends_count(trends), 3);
    row = night_trends_row(trends, 0);
    assert_string_equal(row->card, "S1");
    assert_string_equal(row->point, "");
    assert_int_equal(row->trend.boundary_count, 1);
    assert_int_equal(row->trend.boundaries[0].night, 12);
    assert_float_equal(row->trend.boundaries[0].change, log(1.05), 0.001);
    assert_int_equal(night_trends_row(trends, 1)->trend.boundary_count, 0);
    assert_int_equal(night_trends_row(trends, 2)->trend.boundary_count, 0);
}

static void a_split_is_a_known_change_of_its_points(void **ctx)
{
    struct baseline *baseline = baseline_create(false, 10);

    (void)ctx;
    create(TREND_OF_CELLS);
    baseline_add_split(baseline, 8, "m=1"); /* job 8 is no night; the next one begins */
    for (size_t night = 0; night < 20; night++) {
        night_trends_begin_night(trends, night < 7 ? night + 1 : night + 2);
        add("m=1", "", level_of(night, 7, 100, 100.5));
        add("m=2", "", level_of(night, 7, 100, 100.5));
    }
    night_trends_judge(trends, baseline);
    const struct night_trend *row = night_trends_row(trends, 0);
    assert_string_equal(row->point, "m=1");
    assert_int_equal(row->trend.boundary_count, 1); /* although it is below 1 % */
    assert_int_equal(row->trend.boundaries[0].night, 7);
    assert_true(row->trend.boundaries[0].forced);
    assert_int_equal(night_trends_row(trends, 1)->trend.boundary_count, 0);
    baseline_destroy(baseline);
}

/* Series D of the reference page rises by 0.1 a night and drifts from its beginning; a
 * quiet series, one that is 1 % above and one with fewer nights do not. The repeats of
 * the anchor are 99, 100 and 101 times the factor. */
static void series_that_left_their_anchor_drift(void **ctx)
{
    const struct night_trend *row;

    (void)ctx;
    create(TREND_OF_POINTS);
    for (size_t night = 0; night < 30; night++) {
        night_trends_begin_night(trends, night + 1);
        add("m=1", "", 100 + 0.1 * (double)night + pattern[night % 5]);
        add("m=2", "", level_of(night, 30, 101, 101));
        add("m=3", "", level_of(night, 30, 100, 100));
        if (night >= 26)
            add("m=4", "", 110);
        add("m=5", "", level_of(night, 30, 104, 104));
        add("m=6", "", level_of(night, 30, 94, 94));
    }
    for (uint64_t job = 1; job <= 2; job++) {
        night_trends_begin_anchor_job(trends, job, NULL);
        add("m=1", "", 100);
        add("m=2", "", 100);
        add("m=4", "", 100);
        add("m=5", "", 100);
        add("m=6", "", 100);
        add("m=7", "", 100); /* no night has it */
    }
    night_trends_judge(trends, NULL);
    assert_int_equal(night_trends_count(trends), 6);
    row = night_trends_row(trends, 0); /* first, because of its boundary */
    assert_string_equal(row->point, "m=1");
    assert_false(row->trend.drifts);
    assert_true(night_trend_drifts_from_anchor(row) && night_trend_drifts(row));
    assert_int_equal(row->anchor.verdict.kind, VERDICT_REGRESSED);
    /* the last nights are 102.6 102.4 102.7 103.0 102.8, the anchor 99 100 101 twice */
    assert_float_equal(100 * expm1(row->anchor.change), 2.7, 0.0005);
    row = night_trends_row(trends, 1);
    assert_string_equal(row->point, "m=5");
    assert_float_equal(100 * expm1(row->anchor.change), 3.96, 0.05);
    assert_int_equal(row->trend.boundary_count, 0);
    assert_true(night_trend_drifts(row));
    row = night_trends_row(trends, 2);
    assert_string_equal(row->point, "m=6");
    assert_int_equal(row->anchor.verdict.kind, VERDICT_IMPROVED);
    assert_true(night_trend_drifts(row));
    for (size_t i = 3; i < 6; i++) {
        row = night_trends_row(trends, i);
        assert_false(night_trend_drifts(row));
        assert_true(row->anchor.is_compared == (strcmp(row->point, "m=2") == 0));
    }
}

/* A split of the anchor's baseline leaves its older jobs out for the point. */
static void an_anchor_has_the_splits_of_its_baseline(void **ctx)
{
    struct baseline *rule = baseline_create(true, 0);

    (void)ctx;
    create(TREND_OF_POINTS);
    for (uint64_t job = 1; job <= 2; job++)
        baseline_add_night(rule,
                           &(struct baseline_night){.job_id = job, .passed = true});
    baseline_add_split(rule, 2, "m=1");
    for (size_t night = 0; night < 10; night++) {
        night_trends_begin_night(trends, night + 1);
        add("m=1", "", level_of(night, 10, 100, 100));
        add("m=2", "", level_of(night, 10, 100, 100));
    }
    for (uint64_t job = 1; job <= 2; job++) {
        night_trends_begin_anchor_job(trends, job, rule);
        add("m=1", "", job == 1 ? 50 : 100);
        add("m=2", "", job == 1 ? 50 : 100);
    }
    night_trends_judge(trends, NULL);
    for (size_t i = 0; i < 2; i++) {
        const struct night_trend *row = night_trends_row(trends, i);
        bool is_split = strcmp(row->point, "m=1") == 0;

        assert_true(row->anchor.is_compared);
        assert_true((fabs(row->anchor.change) < 0.02) == is_split);
    }
    baseline_destroy(rule);
}

static void trends_without_figures_have_no_rows(void **ctx)
{
    (void)ctx;
    create(TREND_OF_POINTS);
    night_trends_judge(trends, NULL);
    assert_int_equal(night_trends_count(trends), 0);
}

#define CASE(test) cmocka_unit_test_teardown(test, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(points_with_worse_changes_come_first),
        CASE(nights_without_a_value_leave_a_gap),
        CASE(a_card_is_followed_over_all_its_points),
        CASE(a_split_is_a_known_change_of_its_points),
        CASE(series_that_left_their_anchor_drift),
        CASE(an_anchor_has_the_splits_of_its_baseline),
        CASE(trends_without_figures_have_no_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
