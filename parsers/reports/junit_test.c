/* junit_test.c - a case for each task, with its time and reason */
#include "parsers/reports/junit.h"

#include <string.h>

#include "lib/base/text.h"
#include "parsers/reports/model.h"
#include "tests/support/unit.h"

static const struct report_job job = {
    .job_id = 7,
    .key = "night-7",
    .name = "night",
    .yaml = "",
    .file_name = "night.yaml",
    .user = "ada",
    .state = "failed",
    .reason = "",
    .compare_against = "",
};

static void add(struct report *report,
                uint64_t point,
                uint64_t repeat,
                const char *point_text,
                const char *state,
                const char *reason)
{
    report_add_task(report, &(struct report_task){.point = point,
                                                  .repeat = repeat,
                                                  .point_text = point_text,
                                                  .state = state,
                                                  .reason = reason});
}

static void add_time(struct report *report,
                     uint64_t repeat,
                     uint64_t attempt,
                     uint64_t from_ms,
                     uint64_t to_ms)
{
    const uint64_t ms = 1000000, base = 1700000000000 * ms;

    report_add_rank_time(
        report,
        &(struct report_rank_time){.point = 3,
                                   .repeat = repeat,
                                   .attempt = attempt,
                                   .started_wall_ns = from_ms ? base + from_ms * ms : 0,
                                   .ended_wall_ns = to_ms ? base + to_ms * ms : 0});
}

static void check(struct report *report, const char *expected)
{
    struct text text = {0};

    report_finish(report);
    report_to_junit(report, &text);
    assert_string_equal(text_get(&text), expected);
    text_clear(&text);
    report_destroy(report);
}

static void each_task_is_a_case_with_its_time_and_reason(void **ctx)
{
    struct report *report = report_create(&job);

    (void)ctx;
    add(report, 3, 1, "n=1", "done", "");
    add(report, 4, 0, "a=<&\">", "failed", "exit code 3 & \"more\"");
    add(report, 3, 0, "n=1", "done", "");
    add(report, 5, 0, "", "cancelled", "");
    /* two ranks of the newest attempt of repeat 0; the attempt before does not count */
    add_time(report, 0, 2, 1500, 2000);
    add_time(report, 0, 1, 100, 900);
    add_time(report, 0, 2, 1000, 1750);
    add_time(report, 1, 1, 3000, 3250);
    check(report,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites name=\"night-7\">\n"
          "  <testsuite name=\"night-7\" tests=\"4\" failures=\"1\" errors=\"1\" "
          "skipped=\"0\" time=\"1.250\">\n"
          "    <testcase classname=\"night\" name=\"a=&lt;&amp;&quot;&gt; repeat 0\" "
          "time=\"0.000\"><failure type=\"failed\" message=\"exit code 3 &amp; "
          "&quot;more&quot;\"/></testcase>\n"
          "    <testcase classname=\"night\" name=\"repeat 0\" time=\"0.000\">"
          "<error type=\"cancelled\" message=\"cancelled\"/></testcase>\n"
          "    <testcase classname=\"night\" name=\"n=1 repeat 0\" time=\"1.000\"/>\n"
          "    <testcase classname=\"night\" name=\"n=1 repeat 1\" time=\"0.250\"/>\n"
          "  </testsuite>\n"
          "</testsuites>\n");
}

static void a_rank_that_did_not_start_takes_no_time(void **ctx)
{
    struct report *report = report_create(&job);

    (void)ctx;
    add(report, 3, 0, "n=1", "failed", "the card is lost");
    add_time(report, 0, 1, 0, 5000);
    check(report,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites name=\"night-7\">\n"
          "  <testsuite name=\"night-7\" tests=\"1\" failures=\"1\" errors=\"0\" "
          "skipped=\"0\" time=\"0.000\">\n"
          "    <testcase classname=\"night\" name=\"n=1 repeat 0\" time=\"0.000\">"
          "<failure type=\"failed\" message=\"the card is lost\"/></testcase>\n"
          "  </testsuite>\n"
          "</testsuites>\n");
}

static void a_job_without_tasks_is_an_error(void **ctx)
{
    (void)ctx;
    check(report_create(&job),
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites name=\"night-7\">\n"
          "  <testsuite name=\"night-7\" tests=\"1\" failures=\"0\" errors=\"1\" "
          "skipped=\"0\" time=\"0.000\">\n"
          "    <testcase classname=\"night-7\" name=\"job\" time=\"0.000\"><error "
          "type=\"empty\" message=\"the job has no tasks\"/></testcase>\n"
          "  </testsuite>\n"
          "</testsuites>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_is_a_case_with_its_time_and_reason),
        cmocka_unit_test(a_rank_that_did_not_start_takes_no_time),
        cmocka_unit_test(a_job_without_tasks_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
