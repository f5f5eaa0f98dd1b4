/* model_test.c - figures and verdict of a report, and its page */
#include "parsers/reports/model.h"

#include <math.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/reports/html.h"
#include "parsers/reports/json.h"
#include "tests/support/unit.h"

static const struct report_job job = {
    .job_id = 7,
    .key = "night-7",
    .name = "night",
    .yaml = "version: 1",
    .file_name = "night.yaml",
    .user = "ada",
    .state = "done",
    .reason = "",
    .compare_against = "nightly",
};

/* Adds a launch of rank `rank` with its duration. */
static void add_rank(struct report *report,
                     const char *point,
                     uint32_t rank,
                     uint64_t card,
                     double value_us)
{
    report_add_launch(report, &(struct report_launch){.point_text = point,
                                                      .kernel = "add",
                                                      .rank = rank,
                                                      .device = (uint32_t)card,
                                                      .run_id = 40 + card,
                                                      .point = 3,
                                                      .repeat = 1,
                                                      .launch = 2,
                                                      .host = "h",
                                                      .model = "910B2",
                                                      .serial = "",
                                                      .card = card,
                                                      .simulated = true});
    report_add_figure(report, "duration_us", value_us);
}

static void
add(struct report *report, const char *point, uint64_t card, double value_us)
{
    add_rank(report, point, 0, card, value_us);
}

static void add_task(struct report *report, bool good)
{
    report_add_task(report, &(struct report_task){.point_text = "n=1",
                                                  .state = good ? "done" : "failed",
                                                  .reason = good ? "" : "exit code 3",
                                                  .attempts = 1});
}

static void equal_advice_of_a_kernel_in_a_point_is_counted_once(void **ctx)
{
    static const struct report_advice given[] = {
        {3, "n=1", "add", "memory bound\nslow clock\n", 2},
        {3, "n=1", "add", "slow clock\n", 5},
        {3, "n=1", "mul", "slow clock\n", 1},
        {4, "n=2", "mul", "slow clock\n", 1},
    };
    static const struct report_advice wanted[] = {
        {3, "n=1", "add", "memory bound", 2},
        {3, "n=1", "add", "slow clock", 7},
        {3, "n=1", "mul", "slow clock", 1},
        {4, "n=2", "mul", "slow clock", 1},
    };
    struct report *report = report_create(&job);
    const struct report_advice *got;
    struct text page = {0};
    size_t count;

    (void)ctx;
    for (size_t i = 0; i < COUNT(given); i++)
        report_add_advice(report, &given[i]);
    report_finish(report);
    got = report_advice(report, &count);
    assert_int_equal(count, COUNT(wanted));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i].point, wanted[i].point);
        assert_int_equal(got[i].launches, wanted[i].launches);
        assert_string_equal(got[i].point_text, wanted[i].point_text);
        assert_string_equal(got[i].kernel, wanted[i].kernel);
        assert_string_equal(got[i].text, wanted[i].text);
    }
    report_to_html(report, &page);
    assert_non_null(strstr(text_get(&page), "memory bound"));
    assert_null(strstr(text_get(&page), "notes-table"));
    report_destroy(report);
    text_clear(&page);
}

static void notes_of_launches_are_in_the_page_and_in_the_json(void **ctx)
{
    struct report *report = report_create(&job);
    struct text page = {0}, json = {0};
    const struct report_advice *got;
    size_t count;

    (void)ctx;
    report_add_note(report, &(struct report_advice){3, "n=1", "add", "shared\n", 2});
    report_add_note(report, &(struct report_advice){3, "n=1", "add", "shared\n", 4});
    report_finish(report);
    got = report_notes(report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(got->text, "shared");
    assert_int_equal(got->launches, 6);
    report_advice(report, &count);
    assert_int_equal(count, 0);
    report_to_html(report, &page);
    assert_non_null(strstr(text_get(&page), "notes-table"));
    report_to_json(report, &json);
    assert_non_null(strstr(text_get(&json), "\"text\": \"shared\""));
    report_destroy(report);
    text_clear(&page);
    text_clear(&json);
}

static void steps_are_shown_with_their_anomalies_and_their_analysis(void **ctx)
{
    struct report *report = report_create(&job);
    const struct report_steps *steps;
    struct text page = {0};
    size_t count;

    (void)ctx;
    for (uint32_t rank = 0; rank < 2; rank++) {
        report_add_launch(report, &(struct report_launch){.point_text = "n=1",
                                                          .kernel = "step_group_0",
                                                          .rank = rank,
                                                          .run_id = 9,
                                                          .point = 4,
                                                          .repeat = 2,
                                                          .host = "h",
                                                          .model = "910B2",
                                                          .serial = "",
                                                          .card = rank});
        report_add_figure(report, "duration_us", 500 + rank);
        report_add_figure(report, "step_count", 3);
        if (rank == 1) {
            report_add_figure(report, "tag.TAIL_GAP_HEAVY", 2);
            report_add_figure(report, "tag.COMM_SYNC_RISK", 3);
        }
    }
    add_rank(report, "n=1", 0, 0, 7); /* an operator has no steps */
    report_add_figure(report, "tag.OTHER", 1);
    report_finish(report);
    report_add_output(report, 9, 1, "h/device1/analysis/analysis.html");
    steps = report_steps(report, &count);
    assert_int_equal(count, 2);
    assert_string_equal(steps[0].anomalies, "");
    assert_null(steps[0].analysis_path);
    assert_int_equal(steps[1].rank, 1);
    assert_true(steps[1].measures[STEP_MEASURE_SERVICE] == 501);
    assert_true(steps[1].measures[STEP_MEASURE_COUNT] == 3);
    assert_true(isnan(steps[1].measures[STEP_MEASURE_BUSY]));
    assert_string_equal(steps[1].anomalies, "TAIL_GAP_HEAVY: 2, COMM_SYNC_RISK: 3");
    assert_string_equal(steps[1].analysis_path,
                        "p4/r2/h/device1/analysis/analysis.html");
    report_to_html(report, &page);
    assert_non_null(strstr(text_get(&page), "TAIL_GAP_HEAVY: 2, COMM_SYNC_RISK: 3"));
    assert_non_null(strstr(text_get(&page), "p4/r2/h/device1/analysis/analysis.html"));
    text_clear(&page);
    report_destroy(report);
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

static void works_have_the_medians_of_their_measures(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    for (int i = 0; i < 3; i++) {
        add(report, "n=1", 0, 10 + i);
        report_add_figure(report, "aic_cube_ratio", 0.1 * (i + 1));
        report_add_figure(report, "main_memory_read_kib", 2048);
        report_add_figure(report, "no_such_metric", 7);
    }
    report_finish(report);

    const struct report_work *works = report_works(report, &count);
    assert_int_equal(count, 1);
    assert_int_equal(works->ranks, 1);
    assert_true(works->simulated);
    assert_float_equal(works->median_us, 11, 1e-12);
    assert_float_equal(works->measures[MEASURE_FIRST_SHOWN], 20, 1e-12); /* per cent */
    assert_float_equal(works->measures[MEASURE_READ_KIB], 2, 1e-12);     /* MiB */
    assert_true(isnan(works->measures[MEASURE_WRITTEN_KIB]));
    report_ranks(report, &count);
    assert_int_equal(count, 0);
    report_destroy(report);
}

static void ranks_keep_compute_transfer_and_wait_apart(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    for (uint32_t rank = 0; rank < 2; rank++)
        for (int repeat = 0; repeat < 3; repeat++) {
            add_rank(report, "n=1", rank, rank, 100);
            report_add_figure(report, "compute_us", 60 + rank * 10 + repeat);
            report_add_figure(report, "transfer_us", 5);
            report_add_figure(report, "wait_us", 35 - rank * 10);
        }
    report_finish(report);

    const struct report_rank *ranks = report_ranks(report, &count);
    assert_int_equal(count, 2);
    assert_int_equal(ranks[1].rank, 1);
    assert_int_equal(ranks[1].card, 1);
    assert_float_equal(ranks[0].compute_us, 61, 1e-12);
    assert_float_equal(ranks[1].compute_us, 71, 1e-12);
    assert_float_equal(ranks[0].wait_us, 35, 1e-12);
    assert_float_equal(ranks[1].wait_us, 25, 1e-12);
    assert_float_equal(ranks[0].transfer_us, 5, 1e-12);
    report_destroy(report);
}

static void ranks_have_the_tokens_of_their_experts(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    for (uint32_t rank = 0; rank < 2; rank++) {
        add_rank(report, "n=1", rank, rank, 100);
        report_add_figure(report, "moe_tokens", 12 + rank * 4);
        report_add_figure(report, "moe_imbalance", 1.5);
        report_add_figure(report, "wait_share", 0.25);
    }
    report_finish(report);

    const struct report_rank *ranks = report_ranks(report, &count);
    assert_int_equal(count, 2);
    assert_float_equal(ranks[1].tokens, 16, 1e-12);
    assert_float_equal(ranks[1].imbalance, 1.5, 1e-12);
    assert_float_equal(ranks[1].wait_share, 25, 1e-12); /* percent */
    assert_true(isnan(ranks[1].wait_us));
    report_destroy(report);
}

static void the_files_of_the_middle_launch_are_kept(void **ctx)
{
    struct report *report = report_create(&job);
    size_t count;

    (void)ctx;
    add(report, "n=1", 0, 10);
    add(report, "n=1", 1, 12);
    report_finish(report);
    report_add_output(report, 40, 0, "h/device0/add/2/OpBasicInfo.csv");
    report_add_output(report, 40, 0, "h/device0/add/9/visualize_data.bin");
    report_add_output(report, 40, 0, "h/device0/add/2/visualize_data.bin");
    report_add_output(report, 41, 0, "merged/add/2.json");

    const struct report_series *series = report_series(report, &count);
    assert_int_equal(count, 2);
    assert_string_equal(series[0].data_path,
                        "p3/r1/h/device0/add/2/visualize_data.bin");
    assert_null(series[1].data_path);
    assert_string_equal(report_works(report, &count)->timeline_path,
                        "p3/r1/merged/add/2.json");
    report_destroy(report);
}

static void equal_environments_are_counted(void **ctx)
{
    struct report *report = report_create(&job);
    struct report_environment versions = {.chip = "910B2",
                                          .cann = "8.3",
                                          .driver = "24.1",
                                          .firmware = "",
                                          .host_kernel = "6.1",
                                          .measurement = "1"};
    size_t count;

    (void)ctx;
    report_add_environment(report, &versions);
    report_add_environment(report, &versions);
    versions.driver = "25.0";
    report_add_environment(report, &versions);
    const struct report_environment *all = report_environments(report, &count);
    assert_int_equal(count, 2);
    assert_int_equal(all[0].ranks, 2);
    assert_string_equal(all[1].driver, "25.0");
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
    report_add_launch(
        report, &(struct report_launch){.point_text = "n=<script>alert(1)</script>",
                                        .kernel = "a\"><b>&'",
                                        .host = "</script>",
                                        .model = "m",
                                        .serial = ""});
    report_add_figure(report, "duration_us", 1);
    add_task(report, true);
    report_finish(report);
    report_to_html(report, &page);
    assert_null(strstr(text_get(&page), "<script>alert"));
    assert_null(strstr(text_get(&page), "<b>&'"));
    assert_non_null(strstr(text_get(&page), "\\u003cscript>alert(1)\\u003c/script>"));
    assert_non_null(strstr(text_get(&page), "\"\\u003c/script>:0\""));
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
    assert_non_null(strstr(text_get(&page),
                           ">not compared with nightly; to compare: muster compare "
                           "night-7 --to DIR<"));
    assert_non_null(strstr(text_get(&page), "default-src 'none'"));
    assert_null(strstr(text_get(&page), "https://"));
    text_clear(&page);
    report_destroy(report);
}

static void the_newest_verdict_of_a_gate_comes_first(void **ctx)
{
    struct report *report = report_create(&job);
    struct text page = {0};

    (void)ctx;
    report_set_gate(report, "code=5 against=nightly: undecided");
    report_add_suspect(report, "an old suspect");
    report_set_gate(report, "code=4 against=nightly: n=1 is 5 % slower");
    report_add_suspect(report, "n=1 is 5 % slower"); /* the verdict itself */
    report_add_suspect(report, "card <7>");
    add(report, "n=1", 0, 1);
    add_task(report, true);
    report_finish(report);
    report_to_html(report, &page);
    const char *gate =
        strstr(text_get(&page), "<p class=\"verdict bad\">gate: n=1 is 5 % slower</p>\n"
                                "<ul>\n<li>card &lt;7&gt;</li>\n</ul>\n"
                                "<p class=\"soft\">exit code of the gate: 4; compared "
                                "with nightly</p>\n");
    assert_non_null(gate);
    assert_non_null(strstr(gate, "complete, 1 of 1 tasks"));
    assert_null(strstr(text_get(&page), "an old suspect"));
    assert_null(strstr(text_get(&page), "not compared"));
    text_clear(&page);
    report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_advice_of_a_kernel_in_a_point_is_counted_once),
        cmocka_unit_test(notes_of_launches_are_in_the_page_and_in_the_json),
        cmocka_unit_test(steps_are_shown_with_their_anomalies_and_their_analysis),
        cmocka_unit_test(a_job_that_ends_with_its_report_ended_with_its_last_rank),
        cmocka_unit_test(cards_are_compared_on_the_same_shape),
        cmocka_unit_test(a_series_has_median_and_spread),
        cmocka_unit_test(works_have_the_medians_of_their_measures),
        cmocka_unit_test(ranks_keep_compute_transfer_and_wait_apart),
        cmocka_unit_test(ranks_have_the_tokens_of_their_experts),
        cmocka_unit_test(the_files_of_the_middle_launch_are_kept),
        cmocka_unit_test(equal_environments_are_counted),
        cmocka_unit_test(the_verdict_counts_the_tasks_with_a_result),
        cmocka_unit_test(a_job_without_tasks_is_not_complete),
        cmocka_unit_test(markup_in_names_is_escaped),
        cmocka_unit_test(the_newest_verdict_of_a_gate_comes_first),
        cmocka_unit_test(the_page_marks_simulated_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
