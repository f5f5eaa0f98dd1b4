/* gang_scaling_test.c - curves and collectives of a job from figures with known laws */
#include <math.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/gang/gang_analysis.h"
#include "lib/job/job.h"
#include "lib/verdict/scaling/collective.h"
#include "tests/support/gang_tables.h"

static const char curve_yaml[] =
    "version: 1\nname: t\noperator: {command: [op], ranks: \"${ranks}\"}\n"
    "sweep: {matrix: {ranks: [1, 2, 4, 8, 16]}, scaling: strong, repeat: 2}\n";

/* With 2 % the last size of the worked example is a bend: it is 2.4 % slower. */
static const char tolerant_yaml[] =
    "version: 1\nname: t\noperator: {command: [op], ranks: \"${ranks}\"}\n"
    "sweep: {matrix: {ranks: [1, 2, 4, 8, 16]}, scaling: strong, repeat: 2}\n"
    "compare: {against: x, tolerance: 3%}\n";

/* The throughputs of the worked example of the law. */
static const double capacities[] = {1, 1.938, 3.634, 6.35, 9.42};

/* Adds a launch of `ranks` ranks; the last one takes `us`, the others less. */
static void add_launch(struct gang_figures *figures,
                       uint64_t point,
                       uint64_t repeat,
                       uint32_t ranks,
                       double us,
                       int64_t first_card)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        gang_figures_add(figures,
                         &(struct gang_figure){.point = point,
                                               .repeat = repeat,
                                               .rank = rank,
                                               .kernel = "HcclAllReduce",
                                               .metric = "duration_us",
                                               .value = rank + 1 == ranks ? us : us / 2,
                                               .host = "h",
                                               .serial = "",
                                               .card = first_card + rank,
                                               .tick_ns = 20});
}

/* `last` is the speedup of 16 ranks; of the second repeat on other cards, `other`. */
static struct gang_table run_curve(const char *yaml, double last, double other)
{
    struct gang_figures *figures = gang_figures_create(yaml);

    assert_non_null(figures);
    for (uint64_t repeat = 0; repeat < 2; repeat++)
        for (uint64_t point = 0; point < 5; point++) {
            double capacity = point < 4 ? capacities[point] : repeat ? other : last;

            add_launch(figures, point, repeat, 1u << point, 1000 / capacity,
                       point == 4 && last != other && repeat ? 100 : 0);
        }
    return run(&gang_scaling, figures);
}

static void a_curve_has_the_parameters_of_its_law(void **ctx)
{
    struct gang_table table = run_curve(tolerant_yaml, capacities[4], capacities[4]);

    (void)ctx;
    assert_int_equal(table.row_count, 5);
    for (size_t i = 0; i < table.row_count; i++) {
        assert_true(number(&table, i, "ranks") == 1u << i);
        assert_true(number(&table, i, "repeats") == 2);
        near(number(&table, i, "time_us"), 1000 / capacities[i], 1e-9);
        near(number(&table, i, "speedup"), capacities[i], 1e-9);
        near(number(&table, i, "sigma"), 0.02989, 5e-6);
        near(number(&table, i, "kappa"), 0.000964, 5e-7);
        near(number(&table, i, "best_ranks"), 31.7, 0.05);
        assert_false(yes(&table, i, "bend"));
    }
    gang_table_clear(&table);
}

static void a_size_that_leaves_the_law_is_the_bend(void **ctx)
{
    struct gang_table table = run_curve(curve_yaml, 6.9, 6.9);

    (void)ctx;
    for (size_t i = 0; i < 4; i++)
        assert_false(yes(&table, i, "bend"));
    assert_true(yes(&table, 4, "bend"));
    near(number(&table, 4, "predicted"), 9.642, 5e-4);
    near(number(&table, 4, "loss_percent"), 39.7, 0.05);
    near(number(&table, 4, "sigma"), 0.03028, 5e-6);
    near(number(&table, 4, "kappa"), 0.000855, 5e-7);
    assert_string_equal(text(&table, 4, "cause"),
                        "one placement: these cards, their links, or the size");
    assert_string_equal(text(&table, 4, "cards"),
                        "h:8 h:9 h:10 h:11 h:12 h:13 h:14 h:15");
    gang_table_clear(&table);
}

static void two_placements_separate_the_cards_from_the_size(void **ctx)
{
    struct gang_table table = run_curve(curve_yaml, 9.6, 5.2);

    (void)ctx;
    assert_true(yes(&table, 4, "bend"));
    assert_string_equal(text(&table, 4, "cause"), "cards or links of one placement");
    assert_true(text_has_prefix(text(&table, 4, "cards"), "h:100 h:101 "));
    gang_table_clear(&table);
    table = run_curve(curve_yaml, 6.9, 6.8);
    assert_string_equal(text(&table, 4, "cause"), "size or algorithm");
    assert_string_equal(text(&table, 4, "cards"), "");
    gang_table_clear(&table);
}

static void without_the_kind_of_scaling_there_is_no_law(void **ctx)
{
    struct gang_table table =
        run_curve("version: 1\nname: t\noperator: {command: [op], ranks: \"${n}\"}\n"
                  "sweep: {matrix: {n: [1, 2, 4, 8, 16]}, repeat: 2}\n",
                  6.9, 6.9);

    (void)ctx;
    assert_int_equal(table.row_count, 5);
    assert_true(isnan(number(&table, 4, "sigma")) &&
                isnan(number(&table, 4, "speedup")));
    assert_false(yes(&table, 4, "bend"));
    gang_table_clear(&table);
}

static void incomplete_tasks_do_not_count(void **ctx)
{
    struct gang_figures *figures = gang_figures_create(curve_yaml);

    (void)ctx;
    add_launch(figures, 1, 0, 2, 7, 0);
    add_launch(figures, 1, 1, 1, 5, 0); /* a rank is missing */
    struct gang_table table = run(&gang_scaling, figures);
    assert_int_equal(table.row_count, 1);
    assert_true(number(&table, 0, "repeats") == 1);
    assert_true(number(&table, 0, "time_us") == 7);
    gang_table_clear(&table);
}

static void a_job_on_single_cards_has_no_figures(void **ctx)
{
    (void)ctx;
    assert_null(
        gang_figures_create("version: 1\nname: t\noperator: {command: [op]}\n"));
    assert_null(gang_figures_create("not a job"));
}

static void latency_and_bandwidth_are_those_of_the_fitting_algorithm(void **ctx)
{
    static const enum collective collectives[] = {COLLECTIVE_ALLREDUCE_RING,
                                                  COLLECTIVE_ALLREDUCE_MESH};
    static const char *const names[] = {"ring", "mesh"};
    static const double sizes[] = {65536, 1048576, 67108864};
    /* the bus bandwidths of the worked example, for 64 MiB on a ring */
    static const double bus[] = {27.88, 27.77, 27.54};

    (void)ctx;
    for (size_t a = 0; a < COUNT(collectives); a++) {
        struct gang_figures *figures = gang_figures_create(
            "version: 1\nname: t\noperator: {command: [op], ranks: \"${n}\"}\n"
            "sweep: {matrix: {n: [2, 4, 8], bytes: [65536, 1048576, 67108864]}}\n");

        for (uint64_t point = 0; point < 9; point++)
            add_launch(figures, point, 0, 2u << point / 3,
                       collective_time(collectives[a], 2u << point / 3,
                                       sizes[point % 3], 5, 1 / 28e3),
                       0);
        struct gang_table table = run(&gang_collectives, figures);
        assert_int_equal(table.row_count, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_string_equal(text(&table, i, "algorithm"), names[a]);
            near(number(&table, i, "alpha_us"), 5, 1e-6);
            near(number(&table, i, "link_gb_per_s"), 28, 1e-6);
            near(number(&table, i, "model_percent"), 0, 1e-6);
            if (a == 0)
                near(number(&table, i, "bus_gb_per_s"), bus[i], 5e-3);
        }
        gang_table_clear(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_has_the_parameters_of_its_law),
        cmocka_unit_test(a_size_that_leaves_the_law_is_the_bend),
        cmocka_unit_test(two_placements_separate_the_cards_from_the_size),
        cmocka_unit_test(without_the_kind_of_scaling_there_is_no_law),
        cmocka_unit_test(incomplete_tasks_do_not_count),
        cmocka_unit_test(a_job_on_single_cards_has_no_figures),
        cmocka_unit_test(latency_and_bandwidth_are_those_of_the_fitting_algorithm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
