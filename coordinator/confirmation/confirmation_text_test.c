#include "coordinator/confirmation/confirmation_text.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

static struct job *parsed(const char *text)
{
    static struct problems problems;
    struct job *job;

    if (job_parse(&job, text, strlen(text), &problems) < 0)
        fail_msg("%s: %s in\n%s", problems.items[0].key, problems.items[0].text, text);
    return job;
}

/* A job whose version has this path. */
#define NIGHT(path)                                                                    \
    "version: 1\nname: night\n"                                                        \
    "operator: {command: [./op, \"${m}\", \"$${x}\"], cwd: runs,\n"                    \
    "  env: {A: \"1\"}, version: {path: " path "}}\n"                                  \
    "sweep: {matrix: {m: [16, 32]}}\n"                                                 \
    "profile: {kernel: \"add*\", warmup: 3, launch: {count: 2, range: [a, b]}}\n"      \
    "limits: {time: 30s, retries: 1}\n"

/* Prints each task of a confirmation: its command, environment and cards. */
static char *tasks_of(const struct job *job)
{
    struct job_points *points = job_points_create(job);
    struct text text = {0};

    for (uint64_t i = 0; i < job_task_count(job); i++) {
        struct job_task task = job_task_at(job, i);
        struct confirmation_point at;
        struct job_point point;

        job_points_at(points, task.point, &point);
        assert_true(confirmation_point_read(&at, job, point.values));
        text_printf(&text, "%zu %d %s", at.suspect, at.place, at.fresh ? "B" : "A");
        for (size_t w = 0; w < point.command.count; w++)
            text_printf(&text, " %s", point.command.items[w]);
        text_printf(&text, " %s %s %s\n", point.env.items[0], point.cwd,
                    point.places.items[0]);
        assert_string_equal(point.kernel, "add*");
        assert_int_equal(point.settings->warmup, 3);
        assert_int_equal(point.settings->launch_count, 2);
        assert_string_equal(point.settings->launch_range, "a\nb");
        assert_int_equal(point.settings->time_ms, 30000);
        assert_int_equal(point.settings->exclusive, JOB_EXCLUSIVE_HOST);
    }
    job_points_destroy(points);
    return text_take(&text);
}

static void both_programs_run_in_balanced_order_on_each_card(void **ctx)
{
    struct job *base = parsed(NIGHT("old"));
    struct job *fresh = parsed(NIGHT("/new"));
    struct suspect suspects[] = {
        {.reason = "cannot run"},
        {.base_point = 1, .fresh_point = 0, .places = {"h:3", NULL, "i:0"}},
    };
    const struct confirmation_plan plan = {.base = {base, "/a"},
                                           .fresh = {fresh, "/b"},
                                           .suspects = suspects,
                                           .count = COUNT(suspects),
                                           .pairs = 2,
                                           .sessions = 1};

    (void)ctx;
    char *text = confirmation_text(&plan);
    struct job *job = parsed(text);
    char *tasks = tasks_of(job);

    assert_string_equal(job_settings(job)->name, "night-confirm");
    assert_string_equal(tasks, "1 0 A /a/old/./op 32 ${x} A=1 /a/runs h:3\n"
                               "1 0 B /new/./op 16 ${x} A=1 /b/runs h:3\n"
                               "1 2 A /a/old/./op 32 ${x} A=1 /a/runs i:0\n"
                               "1 2 B /new/./op 16 ${x} A=1 /b/runs i:0\n"
                               "1 2 B /new/./op 16 ${x} A=1 /b/runs i:0\n"
                               "1 2 A /a/old/./op 32 ${x} A=1 /a/runs i:0\n"
                               "1 0 B /new/./op 16 ${x} A=1 /b/runs h:3\n"
                               "1 0 A /a/old/./op 32 ${x} A=1 /a/runs h:3\n");
    assert_false(suspects[1].same_program);
    free(tasks);
    free(text);
    job_destroy(job);
    job_destroy(base);
    job_destroy(fresh);
}

static void several_ranks_and_kernel_files_are_written_too(void **ctx)
{
    struct job *gang = parsed("version: 1\nname: g\n"
                              "operator: {command: [/op], ranks: 2}\n");
    struct job *kernel = parsed("version: 1\nname: k\n"
                                "operator: {kernel: /k.o, entry: e, blocks: 4,"
                                " args: [in fp32 8]}\n");
    struct suspect suspect = {.places = {"h:0 h:1", "h:2 h:1", NULL, "h:1 h:0"}};
    struct suspect single = {.places = {"h:0", NULL, NULL}};
    struct confirmation_plan plan = {.base = {gang, "/a"},
                                     .fresh = {gang, "/a"},
                                     .suspects = &suspect,
                                     .count = 1,
                                     .pairs = 8,
                                     .sessions = 2};
    struct job_point point;

    (void)ctx;
    char *text = confirmation_text(&plan);
    struct job *job = parsed(text);
    struct job_points *points = job_points_create(job);
    job_points_at(points, 2, &point);
    assert_string_equal(point.places.items[0], "h:2");
    assert_string_equal(point.places.items[1], "h:1");
    assert_int_equal(job_task_count(job), 8 * 2 * 3);
    job_points_at(points, 4, &point); /* the ranks rotated over their cards */
    assert_string_equal(point.places.items[0], "h:1");
    assert_string_equal(point.places.items[1], "h:0");
    struct confirmation_point at;
    assert_true(confirmation_point_read(&at, job, point.values));
    assert_int_equal(at.place, AB_PLACES);
    assert_true(suspect.same_program);
    job_points_destroy(points);
    job_destroy(job);
    free(text);

    plan.base.job = plan.fresh.job = kernel;
    plan.suspects = &single;
    text = confirmation_text(&plan);
    job = parsed(text);
    points = job_points_create(job);
    job_points_at(points, 1, &point);
    assert_string_equal(point.command.items[JOB_RUNNER_FILE], "/k.o");
    assert_string_equal(point.command.items[3], "e");
    assert_string_equal(point.command.items[4], "4");
    assert_string_equal(point.command.items[5], "in fp32 8");
    assert_string_equal(point.cwd, "/a");
    job_points_destroy(points);
    job_destroy(job);
    free(text);
    job_destroy(gang);
    job_destroy(kernel);
}

static void a_job_of_iree_keeps_its_tool_and_its_dump(void **ctx)
{
    struct job *night = parsed("version: 1\nname: i\n"
                               "operator: {command: [/op]}\n"
                               "sweep: {matrix: {n: [1, 2]}}\n"
                               "profile: {tool: iree, dump: \"m-${n}.idb\"}\n");
    struct suspect suspect = {.base_point = 1, .fresh_point = 1, .places = {"h:0"}};
    const struct confirmation_plan plan = {.base = {night, "/a"},
                                           .fresh = {night, "/b"},
                                           .suspects = &suspect,
                                           .count = 1,
                                           .pairs = 1,
                                           .sessions = 1};
    struct job_point point;

    (void)ctx;
    char *text = confirmation_text(&plan);
    struct job *job = parsed(text);
    struct job_points *points = job_points_create(job);

    job_points_at(points, 1, &point);
    assert_int_equal(point.settings->tool, JOB_TOOL_IREE);
    assert_string_equal(point.dump, "m-2.idb");
    job_points_destroy(points);
    job_destroy(job);
    free(text);
    job_destroy(night);
}

static void a_job_of_the_simulator_keeps_its_metrics(void **ctx)
{
    struct job *night = parsed("version: 1\nname: i\n"
                               "operator: {kernel: /add.o, entry: add}\n"
                               "profile: {tool: simulator, cores: 0-1, elf: /add.o,\n"
                               "  metrics: [overhead, TimelineDetail]}\n");
    struct suspect suspect = {.places = {"h:0"}};
    const struct confirmation_plan plan = {.base = {night, "/a"},
                                           .fresh = {night, "/b"},
                                           .suspects = &suspect,
                                           .count = 1,
                                           .pairs = 1,
                                           .sessions = 1};
    struct job_point point;

    (void)ctx;
    char *text = confirmation_text(&plan);
    struct job *job = parsed(text);
    struct job_points *points = job_points_create(job);

    job_points_at(points, 1, &point);
    assert_int_equal(point.settings->tool, JOB_TOOL_SIMULATOR);
    assert_string_equal(point.settings->simulation, "TimelineDetail,OverHead");
    assert_string_equal(point.settings->cores, "0-1");
    assert_string_equal(point.elf, "/add.o");
    job_points_destroy(points);
    job_destroy(job);
    free(text);
    job_destroy(night);
}

static void jobs_that_measure_differently_cannot_run_in_turn(void **ctx)
{
    struct job *one = parsed("version: 1\nname: a\noperator: {command: [op]}\n");
    struct job *two =
        parsed("version: 1\nname: a\noperator: {command: [op], ranks: 2}\n");
    struct err err;

    (void)ctx;
    assert_int_equal(confirmation_check_jobs(one, one, &err), 0);
    assert_int_equal(confirmation_check_jobs(one, two, &err), -1);
    assert_string_equal(
        err.text, "the two jobs cannot run in turn: their number of ranks differs");
    struct job *dumps = parsed("version: 1\nname: a\noperator: {command: [op]}\n"
                               "profile: {tool: iree, dump: x}\n");
    assert_int_equal(confirmation_check_jobs(one, dumps, &err), -1);
    assert_string_equal(err.text,
                        "the two jobs cannot run in turn: their tool differs");
    job_destroy(one);
    job_destroy(two);
    job_destroy(dumps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_programs_run_in_balanced_order_on_each_card),
        cmocka_unit_test(several_ranks_and_kernel_files_are_written_too),
        cmocka_unit_test(a_job_of_iree_keeps_its_tool_and_its_dump),
        cmocka_unit_test(a_job_of_the_simulator_keeps_its_metrics),
        cmocka_unit_test(jobs_that_measure_differently_cannot_run_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
