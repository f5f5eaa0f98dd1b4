#include "parsers/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "parsers/cluster/cluster_report.h"
#include "parsers/cluster/slow_ranks.h"
#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static struct cluster *cluster;

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 5e-7 * fmax(1, fabs(expected));
}

/* The table of 16 ranks: rows 0 to 15 are the ranks. */
static void the_spread_of_16_ranks(void **ctx)
{
    static const struct {
        enum step_time time;
        double ratio, own_ratio;
        size_t highest, lowest;
        bool is_issue;
    } expected[] = {
        {STEP_COMPUTING, 0.014636, 0.063619, 8, 4, false},
        {STEP_COMMUNICATION_ALONE, 0.261967, 0.482586, 11, 5, true},
        {STEP_FREE, 0.086528, 0.381014, 13, 2, true},
    };
    double values[3][16], totals[16] = {0};
    struct step_trace trace;
    struct err err;
    (void)ctx;
    assert_int_equal(
        step_trace_read(
            &trace, SAMPLES "cluster_output_16rank/cluster_step_trace_time.csv", &err),
        0);
    for (size_t i = 0; i < 16; i++)
        for (size_t j = 0; j < 3; j++) {
            values[j][i] = trace.rows[i].us[expected[j].time];
            totals[i] += values[j][i];
        }
    assert_true(fabs(stats_mean(totals, 16) - 337737.6252) < 1e-4);
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct spread spread = spread_of(values[i], totals, 16);

        assert_true(is_near(spread.ratio, expected[i].ratio));
        assert_true(is_near(spread.own_ratio, expected[i].own_ratio));
        assert_int_equal(spread.highest, expected[i].highest);
        assert_int_equal(spread.lowest, expected[i].lowest);
        assert_int_equal(spread.is_issue, expected[i].is_issue);
        assert_true(spread.is_own_issue);
    }
    step_trace_clear(&trace);
}

static void a_rank_that_computes_longer_is_an_issue(void **ctx)
{
    static const double computing[] = {50, 50, 50, 90}, totals[] = {100, 100, 100, 140};
    struct spread spread = spread_of(computing, totals, 4);
    (void)ctx;
    assert_true(is_near(spread.ratio, 0.363636));
    assert_true(spread.is_issue);
    assert_int_equal(spread.highest, 3);
}

static void dixons_test_finds_the_rank_that_enters_last(void **ctx)
{
    static const struct {
        size_t count;
        double values[8];
        long slow; /* place, or -1 */
    } cases[] = {
        {4, {100, 101, 102, 103}, -1},
        {4, {10, 100, 101, 102}, 0},
        {8, {10, 98, 101, 104, 99, 100, 97, 103}, 0},
        {8, {95, 98, 101, 104, 99, 100, 97, 103}, -1},
        {4, {10, 100, 100, 100}, -1},
        {3, {10, 100, 101}, -1},
        {4, {101, 100, 10, 102}, 2},
    };
    bool slow[8];
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(slow_ranks_of(cases[i].values, cases[i].count, slow),
                         cases[i].slow >= 0);
        for (size_t j = 0; j < cases[i].count; j++)
            assert_int_equal(slow[j], (long)j == cases[i].slow);
    }
    assert_true(is_near(slow_ranks_dixon((double[]){100, 101, 102, 103}, 4), 1.0 / 3));
    assert_true(is_near(slow_ranks_dixon((double[]){10, 100, 101, 102}, 4), 0.9782609));
    assert_true(
        is_near(slow_ranks_dixon((double[]){10, 97, 98, 99, 100, 101, 103, 104}, 8),
                0.9354839));
    assert_true(is_near(
        slow_ranks_dixon((double[]){95, 97, 98, 99, 100, 101, 103, 104}, 8), 0.25));
    assert_true(slow_ranks_limit(8) == .723);
    assert_true(is_near(slow_ranks_limit(31), (.484 + .473) / 2));
}

static void many_ranks_are_compared_by_their_deviation(void **ctx)
{
    double values[101];
    bool slow[101];
    (void)ctx;
    for (size_t i = 0; i < 101; i++)
        values[i] = 1000 + (double)(i % 5);
    values[50] = 900;
    assert_true(is_near(stats_mean(values, 101), 1000.990099));
    assert_int_equal(slow_ranks_of(values, 101, slow), 1);
    assert_true(slow[50]);
}

static void find(const char *path)
{
    char *paths[] = {(char *)path};
    struct rank_folders folders;
    struct err err;

    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
    cluster = cluster_create(&folders);
    rank_list_clear(&folders);
}

static int clear(void **ctx)
{
    (void)ctx;
    cluster_destroy(cluster);
    cluster = NULL;
    return 0;
}

static const struct group_total *
total_of(const char *hash, bool is_p2p, size_t rank, const struct cluster_group **found)
{
    for (size_t i = 0; i < cluster->group_count; i++)
        if (strcmp(cluster->groups[i].hash, hash) == 0 &&
            cluster->groups[i].is_p2p == is_p2p) {
            *found = &cluster->groups[i];
            for (size_t j = 0; j < (*found)->total_count; j++)
                if ((*found)->totals[j].rank == rank)
                    return &(*found)->totals[j];
        }
    fail();
    return NULL;
}

static double bandwidth(const struct group_total *total, enum comm_transport transport)
{
    return cluster_bandwidth(total->traffic[transport].size_mb,
                             total->traffic[transport].time_ms);
}

static void groups_have_totals_per_rank(void **ctx)
{
    static const char dp_cp[] = "5862276114690318097", pp[] = "3985310405473756128";
    static const char all[] = "5862276093215481612";
    const struct cluster_group *group;
    const struct group_total *total;
    (void)ctx;
    find(SAMPLES "qwen3_pp2dp2_level2_text");
    total = total_of(dp_cp, false, 0, &group);
    assert_string_equal(group->name, "dp_cp");
    assert_int_equal(group->rank_count, 2);
    assert_true(is_near(total->times.elapse_ms, 65.41234));
    assert_true(fabs(total->traffic[COMM_HCCS].size_mb - 1127.447) < 5e-4);
    assert_true(is_near(total->traffic[COMM_HCCS].time_ms, 59.51352));
    assert_true(bandwidth(total, COMM_HCCS) == 18.9444);
    total = total_of(dp_cp, false, 1, &group);
    assert_true(is_near(total->times.elapse_ms, 76.78024));
    assert_true(bandwidth(total, COMM_HCCS) == 18.9439);
    total = total_of(pp, true, 0, &group);
    assert_string_equal(group->name, "pp");
    assert_int_equal(group->ranks[1], 2); /* a rank without a folder */
    assert_true(is_near(total->times.elapse_ms, 313.8778));
    assert_true(is_near(total->times.wait_ms, 158.50548));
    assert_true(is_near(total->times.sync_ms, 158.50548));
    assert_true(is_near(total->times.idle_ms, 155.37232));
    assert_true(cluster_ratio(total->times.wait_ms, total->times.transit_ms) == 1);
    assert_true(bandwidth(total, COMM_HCCS) == 20.9093);
    total = total_of(all, false, 0, &group);
    assert_true(bandwidth(total, COMM_HCCS) == 0.0696);
    assert_int_equal(group->rank_count, 4);
}

static const struct cluster_link *
link_of(const char *hash, const char *transport, int64_t from, int64_t to)
{
    for (size_t i = 0; i < cluster->matrix_count; i++) {
        const struct cluster_link *link = &cluster->matrix[i];

        if (strcmp(link->hash, hash) == 0 && strcmp(link->transport, transport) == 0 &&
            link->from == from && link->to == to)
            return link;
    }
    fail_msg("no link of %s from %d to %d", hash, (int)from, (int)to);
    return NULL;
}

static void links_have_the_ranks_of_the_program(void **ctx)
{
    static const char dp_cp[] = "5862276114690318097", pp[] = "3985310405473756128";
    static const struct {
        const char *transport;
        int64_t from, to;
        double size_mb, time_ms, gb_per_s;
    } expected[] = {
        {"HCCS", 0, 1, 1127.447, 59.51352, 18.9444},
        {"HCCS", 1, 0, 1127.447, 59.51492, 18.9439},
        {"LOCAL", 0, 0, 2254.8942, 24.98072, 90.2654},
        {"LOCAL", 1, 1, 2254.8942, 25.02284, 90.1134},
    };
    struct text page = {0};

    (void)ctx;
    find(SAMPLES "qwen3_pp2dp2_level2_text");
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct cluster_link *link =
            link_of(dp_cp, expected[i].transport, expected[i].from, expected[i].to);

        assert_true(fabs(link->size_mb - expected[i].size_mb) < 5e-4);
        assert_true(fabs(link->time_ms - expected[i].time_ms) < 5e-6);
        assert_true(link->gb_per_s == expected[i].gb_per_s);
        assert_false(link->is_slow);
    }
    cluster_report_page(&page, cluster);
    assert_non_null(
        strstr(text_get(&page),
               "<h3>Bandwidth of all groups by HCCS, from the rank of the row</h3>"));
    assert_null(strstr(text_get(&page), "by LOCAL"));
    /* its links have less than 1 MB */
    assert_null(strstr(text_get(&page), "Bandwidth of default_group"));
    text_clear(&page);
    /* place 1 of this group is a rank without a folder */
    assert_true(link_of(pp, "HCCS", 0, 2)->size_mb > 0);
    assert_int_equal(cluster->unmapped_links, 0);
}

static void stages_and_places_of_ranks(void **ctx)
{
    static const struct {
        enum step_time time;
        double us;
    } largest[] = {
        {STEP_COMPUTING, 231290.10}, {STEP_COMMUNICATION_ALONE, 441708.38},
        {STEP_FREE, 158558.00},      {STEP_STAGE, 810022.25},
        {STEP_PREPARING, 206.25},
    };
    (void)ctx;
    find(SAMPLES "qwen3_pp2dp2_level2_text");
    assert_int_equal(cluster->world, 4);
    assert_string_equal(text_get(&cluster->missing), "2 3");
    assert_int_equal(cluster->stage_count, 1);
    assert_int_equal(cluster->stages[0].rank_count, 2);
    assert_int_equal(cluster->stages[0].ranks[0], 0);
    assert_int_equal(cluster->stages[0].ranks[1], 1);
    for (size_t i = 0; i < COUNT(largest); i++)
        assert_true(is_near(cluster->stages[0].us[largest[i].time], largest[i].us));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cluster->ranks[i].dp, i);
        assert_int_equal(cluster->ranks[i].pp, 0);
        assert_int_equal(cluster->ranks[i].tp, 0);
    }
}

/* The waiting time is what a rank spends in a collective beyond the shortest time. */
static void the_rank_that_waits_least_is_the_slow_one(void **ctx)
{
    (void)ctx;
    find(SAMPLES "alexnet_ddp_level1_text");
    assert_int_equal(cluster->collectives, 4);
    assert_true(is_near(cluster->ranks[0].waiting_ms, 79.08952021875 - 73.47516803125 +
                                                          2.2811055625 - 2.2801455625 +
                                                          2.402388 - 2.39538784375));
    assert_true(is_near(cluster->ranks[1].waiting_ms, 22.22458403125 - 22.2188639375));
}

static void findings_are_sentences(void **ctx)
{
    struct text out = {0};
    (void)ctx;
    find(SAMPLES "qwen3_pp2dp2_level2_text");
    cluster_report_text(&out, cluster);
    assert_non_null(strstr(text_get(&out), "these have no folder: 2 3."));
    assert_non_null(
        strstr(text_get(&out), "stage (0, 1): at most 231.290 ms computing"));
    assert_non_null(strstr(text_get(&out),
                           "Free differs by 21.738 ms between ranks: rank 0 "
                           "has the most, rank 1 the least"));
    text_clear(&out);
}

#define CASE(name) cmocka_unit_test_teardown(name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_spread_of_16_ranks),
        CASE(a_rank_that_computes_longer_is_an_issue),
        CASE(dixons_test_finds_the_rank_that_enters_last),
        CASE(many_ranks_are_compared_by_their_deviation),
        CASE(groups_have_totals_per_rank),
        CASE(links_have_the_ranks_of_the_program),
        CASE(stages_and_places_of_ranks),
        CASE(the_rank_that_waits_least_is_the_slow_one),
        CASE(findings_are_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, clear);
}
