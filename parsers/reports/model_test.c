/* model_test.c - figures and verdict of a report, and its page */
#include "parsers/reports/model.h"

#include <string.h>

#include "lib/base/text.h"
#include "parsers/reports/html.h"
#include "tests/support/unit.h"

static const struct report_job job = {
    .job_id = 7,
    .key = "night-7",
    .name = "night",
    .file_name = "night.yaml",
    .user = "ada",
    .state = "done",
    .reason = "",
};

static void
add(struct report *report, const char *point, uint64_t card, double value_us)
{
    report_add_duration(report, &(struct report_duration){.point_text = point,
                                                          .kernel = "add",
                                                          .host = "h",
                                                          .model = "910B2",
                                                          .card = card,
                                                          .value_us = value_us,
                                                          .simulated = true});
}

static void add_task(struct report *report, bool good)
{
    if (good)
        report_add_good(report, 1);
    else
        report_add_bad(report, &(struct report_task){.point_text = "n=1",
                                                     .state = "failed",
                                                     .reason = "exit code 3",
                                                     .attempts = 1});
}

static void a_job_that_ends_with_its_report_ended_with_its_last_rank(void **ctx)
{
    struct report_job ending = job;
    struct report *report;

    (void)ctx;
    ending.has_ended = true;
    ending.submitted_wall_ms = 1000;
    report = report_create(&ending);
    report_set_last(report, 5000);
    assert_int_equal(report_job(report)->ended_wall_ms, 5000);
    report_destroy(report);
    report = report_create(&ending); /* cancelled before a rank started */
    report_set_last(report, 0);
    assert_int_equal(report_job(report)->ended_wall_ms, 1000);
    report_destroy(report);
    ending.ended_wall_ms = 7000;
    report = report_create(&ending);
    report_set_last(report, 5000);
    assert_int_equal(report_job(report)->ended_wall_ms, 7000);
    report_destroy(report);
}

static void cards_are_compared_on_the_same_shape(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    add(report, "n=1 card=0", 0, 10);
    add(report, "n=1 card=1", 1, 12);
    add(report, "card=0 n=2", 0, 100);
    add(report, "card=1 n=2", 1, 120);
    report_finish(report);

    const struct report_series *series = report_series(report, &count);
    assert_int_equal(count, 4);
    assert_string_equal(series[0].shape, "n=1");
    assert_string_equal(series[1].shape, "n=1");
    assert_string_equal(series[2].shape, "n=2");
    assert_float_equal(series[0].ratio, 10.0 / 11, 1e-12);

    const struct report_card *cards = report_cards(report, &count);
    assert_int_equal(count, 2);
    assert_float_equal(cards[0].ratio, 10.0 / 11, 1e-12);
    assert_float_equal(cards[1].ratio, 12.0 / 11, 1e-12);
    report_destroy(report);
}

static void a_series_has_median_and_spread(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    add(report, "n=1", 0, 30);
    add(report, "n=1", 0, 10);
    add(report, "n=1", 0, 20);
    add(report, "n=1", 0, 40);
    report_finish(report);

    const struct report_series *series = report_series(report, &count);
    assert_int_equal(count, 1);
    assert_int_equal(series->count, 4);
    assert_float_equal(series->median_us, 25, 1e-12);
    assert_float_equal(series->spread, 30.0 / 25, 1e-12);
    assert_float_equal(series->ratio, 1, 1e-12);
    report_destroy(report);
}

static void the_verdict_counts_the_tasks_with_a_result(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    for (int i = 0; i < 8; i++)
        add_task(report, i != 3);
    report_finish(report);
    assert_false(report_is_complete(report));
    assert_string_equal(report_verdict(report), "incomplete, 7 of 8 tasks");
    assert_string_equal(report_bad_tasks(report, &count)->reason, "exit code 3");
    assert_int_equal(count, 1);
    report_destroy(report);
}

static void a_job_without_tasks_is_not_complete(void **ctx)
{
    struct report *report = report_create(&job);

    (void)ctx;
    report_finish(report);
    assert_false(report_is_complete(report));
    assert_string_equal(report_verdict(report), "no tasks, 0 of 0 tasks");
    report_destroy(report);
}

static void markup_in_names_is_escaped(void **ctx)
{
    struct report *report = report_create(&job);
    struct text page = {0};

    (void)ctx;
    report_add_duration(
        report, &(struct report_duration){.point_text = "n=<script>alert(1)</script>",
                                          .kernel = "a\"><b>&'",
                                          .host = "h",
                                          .model = "m",
                                          .value_us = 1});
    add_task(report, true);
    report_finish(report);
    report_to_html(report, &page);
    assert_null(strstr(text_get(&page), "<script>"));
    assert_null(strstr(text_get(&page), "<b>&'"));
    assert_non_null(strstr(text_get(&page), "&lt;script&gt;"));
    text_clear(&page);
    report_destroy(report);
}

static void the_page_marks_simulated_figures(void **ctx)
{
    struct report *report = report_create(&job);
    struct text page = {0};

    (void)ctx;
    add(report, "n=1", 0, 1);
    add_task(report, true);
    report_finish(report);
    report_to_html(report, &page);
    assert_non_null(strstr(text_get(&page), "Simulated figures"));
    assert_null(strstr(text_get(&page), "http://"));
    assert_null(strstr(text_get(&page), "https://"));
    text_clear(&page);
    report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_ends_with_its_report_ended_with_its_last_rank),
        cmocka_unit_test(cards_are_compared_on_the_same_shape),
        cmocka_unit_test(a_series_has_median_and_spread),
        cmocka_unit_test(the_verdict_counts_the_tasks_with_a_result),
        cmocka_unit_test(a_job_without_tasks_is_not_complete),
        cmocka_unit_test(markup_in_names_is_escaped),
        cmocka_unit_test(the_page_marks_simulated_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
