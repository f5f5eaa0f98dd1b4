/* gang_overlap_test.c - the worked example of the overlap, as the four parts of a job
 */
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/gang_tables.h"

enum { REPEATS = 6, RANKS = 2 };

static const char yaml[] =
    "version: 1\nname: t\noperator:\n  command: [fused, \"${m}\"]\n  ranks: 2\n"
    "  overlap: {compute: [mm], communication: [ar, \"${m}\"], serial: [both, x, y]}\n"
    "sweep: {matrix: {m: [7, 8]}, repeat: 6}\n"
    "profile: {launch: {count: all}}\n";

static const double parts[JOB_PART_COUNT][REPEATS] = {
    [JOB_PART_FUSED] = {131.2, 130.8, 131.6, 131.0, 130.6, 131.4},
    [JOB_PART_COMPUTE] = {112.0, 111.8, 112.4, 112.2, 111.6, 112.0},
    [JOB_PART_COMMUNICATION] = {46.0, 45.8, 46.4, 46.2, 45.6, 46.2},
    [JOB_PART_SERIAL] = {159.0, 158.6, 159.8, 159.2, 158.2, 159.4},
};

static void add(struct gang_figures *figures,
                uint64_t point,
                uint64_t repeat,
                uint64_t launch,
                uint32_t rank,
                double us,
                int64_t card)
{
    const struct gang_figure figure = {.point = point,
                                       .repeat = repeat,
                                       .launch = launch,
                                       .rank = rank,
                                       .kernel = launch ? "HcclAllReduce" : "mm",
                                       .metric = "duration_us",
                                       .value = us,
                                       .host = "h",
                                       .serial = rank ? "B" : "A",
                                       .card = card};

    gang_figures_add(figures, &figure);
}

/* The sequence has two launches. Rank 1 is the slower one by 20 %. */
static void add_repeat(struct gang_figures *figures, uint64_t first, uint64_t repeat)
{
    for (uint64_t part = 0; part < JOB_PART_COUNT; part++)
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            double us = parts[part][repeat] / (rank ? 1 : 1.2);

            if (part == JOB_PART_SERIAL) {
                add(figures, first + part, repeat, 0, rank, us * 0.75, rank);
                add(figures, first + part, repeat, 1, rank, us * 0.25, rank);
            } else {
                add(figures, first + part, repeat, 0, rank, us, rank);
            }
        }
}

static void each_part_runs_its_own_command(void **ctx)
{
    static const char *const texts[] = {"m=7 part=fused", "m=7 part=compute",
                                        "m=7 part=communication", "m=7 part=serial",
                                        "m=8 part=fused"};
    static const char *const programs[] = {"fused", "mm", "ar", "both", "fused"};
    static const size_t words[] = {2, 1, 2, 3, 2};
    struct problems problems = {0};
    struct job *job;
    struct job_point point;

    (void)ctx;
    assert_int_equal(job_parse(&job, yaml, sizeof(yaml) - 1, &problems), 0);
    assert_int_equal(job_point_count(job), 8);
    assert_int_equal(job_part_variable(job), 1);
    struct job_points *points = job_points_create(job);
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_true(job_points_next(points, &point));
        assert_string_equal(point.text, texts[i]);
        assert_string_equal(point.command.items[0], programs[i]);
        assert_int_equal(point.command.count, words[i]);
    }
    job_points_at(points, 6, &point);
    assert_string_equal(point.command.items[1], "8");
    job_points_destroy(points);
    job_destroy(job);
}

static void the_worked_example_has_its_efficiency(void **ctx)
{
    struct gang_figures *figures = gang_figures_create(yaml);

    (void)ctx;
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++)
        add_repeat(figures, 0, repeat);
    struct gang_table table = run(&gang_overlap, figures);
    assert_int_equal(table.row_count, 4); /* all ranks, two ranks; no repeat of m=8 */
    assert_string_equal(text(&table, 0, "series"), "m=7");
    for (size_t i = 0; i < 3; i++) {
        assert_true(number(&table, i, "repeats") == 6);
        near(number(&table, i, "efficiency"), 0.5932, 5e-5);
        near(number(&table, i, "efficiency_low"), 0.5915, 5e-5);
        near(number(&table, i, "efficiency_high"), 0.5970, 5e-5);
        near(number(&table, i, "attained"), 0.5932, 5e-5);
        near(number(&table, i, "fused_us"), i == 1 ? 131.1 / 1.2 : 131.1, 1e-9);
        near(number(&table, i, "serial_us"), i == 1 ? 159.1 / 1.2 : 159.1, 1e-9);
    }
    assert_true(isnan(number(&table, 0, "rank")) && number(&table, 2, "rank") == 1);
    assert_string_equal(text(&table, 2, "card"), "B");
    assert_string_equal(text(&table, 3, "series"), "m=8");
    assert_true(number(&table, 3, "repeats") == 0 &&
                number(&table, 3, "left_out") == 6);
    assert_true(isnan(number(&table, 3, "efficiency")));
    gang_table_clear(&table);
}

static void a_repeat_without_a_part_is_left_out(void **ctx)
{
    struct gang_figures *figures = gang_figures_create(yaml);

    (void)ctx;
    add_repeat(figures, 0, 0);
    for (uint64_t part = 0; part < 3; part++) /* without the sequence */
        for (uint32_t rank = 0; rank < RANKS; rank++)
            add(figures, part, 1, 0, rank, 100, rank);
    for (uint64_t part = 1; part < 4; part++) /* without the operator itself */
        for (uint32_t rank = 0; rank < RANKS; rank++)
            add(figures, part, 2, 0, rank, 100, rank);
    struct gang_table table = run(&gang_overlap, figures);
    assert_true(number(&table, 0, "repeats") == 1);
    assert_true(number(&table, 0, "left_out") == 5);
    near(number(&table, 0, "efficiency"), 1 - (131.2 - 112) / (159 - 112), 1e-9);
    assert_true(isnan(number(&table, 0, "efficiency_low")));
    gang_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_runs_its_own_command),
        cmocka_unit_test(the_worked_example_has_its_efficiency),
        cmocka_unit_test(a_repeat_without_a_part_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
