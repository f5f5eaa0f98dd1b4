/* gang_arrival_test.c - the measured example of a late rank, as replays of a job */
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "tests/support/gang_tables.h"

enum { RANKS = 8, REPEATS = 5, REPLAYS = 3 };

static const char yaml[] = "version: 1\nname: t\noperator: {command: [op], ranks: 8}\n"
                           "sweep: {matrix: {m: [1, 2]}, repeat: 5}\n";

static const double arrivals[RANKS] = {63.639, 62.142, 45.076, 0,
                                       62.888, 51.072, 52.979, 64.167};
static const double durations[RANKS] = {10.519, 11.359, 31.159, 72.160,
                                        11.359, 22.640, 21.439, 12.119};

struct example {
    double slower;      /* added to each duration */
    double skew;        /* factor on the arrivals; the ranks end together */
    const char *host;   /* of the last rank */
    double uncertainty; /* of the last rank */
    uint64_t launches;
    bool apart; /* the ranks were not released together */
};

static void add_replays(struct gang_figures *figures,
                        const struct example *example,
                        uint64_t repeat,
                        uint64_t launch,
                        uint32_t rank)
{
    /* the second replay of three lies between the others in each time */
    static const double jitter[REPLAYS] = {-0.02, 0, 0.02};
    double begin = arrivals[rank] * example->skew;
    double end = example->skew == 1 ? arrivals[rank] + durations[rank]
                                    : 64.167 * example->skew + 10;

    for (uint64_t number = 0; number < REPLAYS; number++)
        gang_figures_add_replay(
            figures,
            &(struct gang_replay){
                .repeat = repeat,
                .launch = launch,
                .rank = rank,
                .kernel = "HcclAllReduce",
                .number = number,
                .in_step = !example->apart,
                .started_ns = 1000000000 * (number + 1) + (uint64_t)(1000 * begin),
                .duration_us = end - begin + example->slower + jitter[number],
                .uncertainty_us = rank + 1 == RANKS ? example->uncertainty : 0});
}

static struct gang_figures *figures_of(const struct example *example)
{
    struct gang_figures *figures = gang_figures_create(yaml);

    for (uint64_t repeat = 0; repeat < REPEATS; repeat++)
        for (uint64_t launch = 0; launch < example->launches; launch++)
            for (uint32_t rank = 0; rank < RANKS; rank++) {
                gang_figures_add(figures,
                                 &(struct gang_figure){
                                     .repeat = repeat,
                                     .launch = launch,
                                     .rank = rank,
                                     .kernel = "HcclAllReduce",
                                     .metric = "duration_us",
                                     .value = durations[rank],
                                     .host = rank + 1 == RANKS ? example->host : "a",
                                     .serial = "",
                                     .card = rank,
                                     .tick_ns = 20});
                add_replays(figures, example, repeat, launch, rank);
            }
    gang_figures_finish(figures);
    return figures;
}

/* `calibration` is the transfer of the base, in which all ranks begin together; 0: no
 * base. */
static struct gang_table judge(const struct example *example, double calibration)
{
    const struct example together = {.skew = 0,
                                     .slower = calibration - 10,
                                     .host = "a",
                                     .launches = example->launches};
    struct gang_figures *figures = figures_of(example);
    struct gang_figures *base = calibration > 0 ? figures_of(&together) : NULL;
    struct gang_table table = gang_analysis_run(
        &gang_arrival, &(struct gang_input){.figures = figures, .base = base});

    gang_figures_destroy(figures);
    gang_figures_destroy(base);
    return table;
}

static void a_late_rank_is_the_cause(void **ctx)
{
    struct gang_table table =
        judge(&(struct example){.skew = 1, .host = "a", .launches = 1}, 10);

    (void)ctx;
    assert_int_equal(table.row_count, 1);
    assert_string_equal(text(&table, 0, "point"), "m=1");
    assert_string_equal(text(&table, 0, "verdict"), "arrival-skew");
    assert_true(number(&table, 0, "collectives") == 5);
    near(number(&table, 0, "skew_us"), 64.167, 2e-3);
    near(number(&table, 0, "transfer_us"), 10.036, 2e-3);
    near(number(&table, 0, "duration_us"), 72.160, 2e-3);
    near(number(&table, 0, "calibrated_us"), 10, 2e-3);
    near(number(&table, 0, "uncertainty_us"), 0.02, 1e-9);
    near(number(&table, 0, "skew_share"), 64.167 / 62.16, 1e-3);
    assert_true(number(&table, 0, "last_rank") == 7);
    assert_string_equal(text(&table, 0, "last_card"), "a:7");
    assert_true(number(&table, 0, "times_last") == 5);
    near(number(&table, 0, "p_last"), 8 * pow(1.0 / 8, 5), 1e-12);
    gang_table_clear(&table);
}

static void the_other_verdicts_need_other_calibrations(void **ctx)
{
    static const struct {
        double slower, calibration;
        const char *verdict;
    } cases[] = {
        {0, 9, "mixed"},
        {0, 80, "as-calibrated"},
        {1000, 10, "transfer"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gang_table table = judge(
            &(struct example){
                .skew = 1, .slower = cases[i].slower, .host = "a", .launches = 1},
            cases[i].calibration);

        assert_string_equal(text(&table, 0, "verdict"), cases[i].verdict);
        gang_table_clear(&table);
    }
}

static void clocks_of_two_hosts_add_their_uncertainty(void **ctx)
{
    struct example example = {.skew = 1, .host = "b", .uncertainty = 17, .launches = 1};
    struct gang_table table = judge(&example, 10);

    (void)ctx;
    near(number(&table, 0, "uncertainty_us"), 17.02, 1e-9);
    assert_string_equal(text(&table, 0, "verdict"), "inconclusive");
    gang_table_clear(&table);
    example.uncertainty = NAN;
    table = judge(&example, 10);
    assert_true(isnan(number(&table, 0, "uncertainty_us")));
    assert_string_equal(text(&table, 0, "verdict"), "inconclusive");
    gang_table_clear(&table);
}

static void kernels_of_single_ranks_are_left_out(void **ctx)
{
    struct gang_table table = judge(
        &(struct example){.skew = 1, .host = "a", .launches = 1, .apart = true}, 10);

    (void)ctx;
    assert_int_equal(table.row_count, 0);
    gang_table_clear(&table);
}

static void without_a_base_the_transfer_is_its_own_calibration(void **ctx)
{
    struct gang_table table =
        judge(&(struct example){.skew = 1, .host = "a", .launches = 2}, 0);

    (void)ctx;
    assert_int_equal(table.row_count, 3); /* each launch, and the operator */
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(text(&table, i, "verdict"), "arrival-skew");
        near(number(&table, i, "calibrated_us"), 10.036, 2e-3);
    }
    assert_true(number(&table, 1, "launch") == 1);
    assert_true(isnan(number(&table, 2, "launch")));
    assert_true(number(&table, 2, "collectives") == 10);
    gang_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_rank_is_the_cause),
        cmocka_unit_test(the_other_verdicts_need_other_calibrations),
        cmocka_unit_test(clocks_of_two_hosts_add_their_uncertainty),
        cmocka_unit_test(kernels_of_single_ranks_are_left_out),
        cmocka_unit_test(without_a_base_the_transfer_is_its_own_calibration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
