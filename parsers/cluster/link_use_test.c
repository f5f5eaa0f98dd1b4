/* link_use_test.c - collectives far below the bandwidth of the chip, and their cause */
#include "parsers/cluster/link_use.h"

#include <math.h>

#include "parsers/cluster/cluster.h"
#include "parsers/cluster/cluster_report.h"
#include "parsers/cluster/report_links.h"
#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

static size_t sentences;

#define SAMPLES "../samples/framework/"

static void standards_of_the_generations(void **ctx)
{
    static const struct {
        const char *chip;
        double hccs, rdma, pcie;
    } chips[] = {
        {"Ascend910A", 18, 12.5, 20},
        {"Ascend910", 18, 12.5, 20},
        {"Ascend910B", 28, 25, 0},
        {"Ascend910B3", 28, 25, 0},
        {"Ascend910_9391", 0, 0, 0}, /* no standard is known */
        {"", 0, 0, 0},
    };
    (void)ctx;
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        assert_true(link_use_standard(chips[i].chip, COMM_HCCS) == chips[i].hccs);
        assert_true(link_use_standard(chips[i].chip, COMM_RDMA) == chips[i].rdma);
        assert_true(link_use_standard(chips[i].chip, COMM_PCIE) == chips[i].pcie);
    }
}

/* The traffic of one collective, and the cause by HCCS and by RDMA. */
static void the_cause_of_a_low_bandwidth(void **ctx)
{
    enum { UNCOUNTED, GOOD, SMALL, SLOW };
    static const struct {
        double hccs_mb, hccs_ms, hccs_large, rdma_mb, rdma_ms, rdma_large;
        int hccs, rdma;
    } cases[] = {
        {225, 10, 0, 0, 0, 0, GOOD, UNCOUNTED}, /* 80 % of 28 are 22.4 GB/s */
        {223, 10, 0.79, 0, 0, 0, SMALL, UNCOUNTED},
        {223, 10, 0.8, 0, 0, 0, SLOW, UNCOUNTED},
        {0.5, 10, 1, 0, 0, 0, UNCOUNTED, UNCOUNTED}, /* less than 1 MB */
        {100, 10, 1, 40, 2.4, 1, SLOW, UNCOUNTED},   /* a quarter of SDMA is more */
        {100, 10, 1, 40, 2.6, 1, SLOW, SLOW},        /* both */
        {100, 10, 1, 500, 41, 0.1, UNCOUNTED, SMALL},
        {0, 0, 0, 200, 10, 0, UNCOUNTED, GOOD},
    };
    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct comm_op op = {0};
        struct comm_ops ops = {.rows = &op, .count = 1};
        struct link_use use[COMM_TRANSPORT_COUNT];

        op.traffic[COMM_HCCS] = (struct comm_traffic){
            cases[i].hccs_mb, cases[i].hccs_ms, cases[i].hccs_large};
        op.traffic[COMM_SDMA] = op.traffic[COMM_HCCS];
        op.traffic[COMM_RDMA] = (struct comm_traffic){
            cases[i].rdma_mb, cases[i].rdma_ms, cases[i].rdma_large};
        link_use_count(use, &ops, "Ascend910B2");
        assert_int_equal(use[COMM_HCCS].ops, cases[i].hccs != UNCOUNTED);
        assert_int_equal(use[COMM_HCCS].small_packages, cases[i].hccs == SMALL);
        assert_int_equal(use[COMM_HCCS].slow_links, cases[i].hccs == SLOW);
        assert_int_equal(use[COMM_RDMA].ops, cases[i].rdma != UNCOUNTED);
        assert_int_equal(use[COMM_RDMA].small_packages, cases[i].rdma == SMALL);
        assert_int_equal(use[COMM_RDMA].slow_links, cases[i].rdma == SLOW);
    }
}

/* A genuine capture: its four collectives have 8.2 to 17.2 GB/s of 28, and no large
 * packages. */
static void a_genuine_capture_has_small_packages(void **ctx)
{
    char *paths[] = {(char *)(SAMPLES "alexnet_ddp_level1_db")};
    struct text out = {0};
    struct rank_folders folders;
    struct cluster *cluster;
    struct err err;
    (void)ctx;
    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
    cluster = cluster_create(&folders);
    assert_string_equal(cluster->ranks[0].host.chip, "Ascend910B");
    assert_int_equal(cluster->ranks[0].use[COMM_HCCS].ops, 4);
    assert_int_equal(cluster->ranks[0].use[COMM_HCCS].small_packages, 4);
    assert_int_equal(cluster->ranks[0].use[COMM_HCCS].slow_links, 0);
    assert_true(fabs(cluster->ranks[0].use[COMM_HCCS].low_size_mb - 427.596096) < 1e-6);
    cluster_report_text(&out, cluster);
    assert_non_null(strstr(text_get(&out),
                           "Rank 0 uses less than 80 % of the bandwidth by HCCS of an "
                           "Ascend910B (28.0 GB/s) in 4 of 4 collectives, 14.9666 GB/s "
                           "in these: the packages are small in 4 of them."));
    text_clear(&out);
    cluster_destroy(cluster);
    rank_list_clear(&folders);
}

static void keep_last(void *arg, const char *sentence)
{
    struct text *last = arg;

    text_reset(last);
    text_printf(last, "%zu: %s", ++sentences, sentence);
}

/* Ten ranks are named, and the others counted. */
static void many_ranks_are_counted(void **ctx)
{
    enum { RANKS = 14 };
    struct cluster_rank ranks[RANKS] = {0};
    const struct cluster cluster = {.ranks = ranks, .count = RANKS};
    struct text last = {0};

    (void)ctx;
    for (int i = 0; i < RANKS; i++)
        ranks[i].use[COMM_HCCS] = (struct link_use){1, 1, 0, 10, 10};
    sentences = 0;
    report_links_say(&cluster, keep_last, &last);
    assert_string_equal(text_get(&last), "11: 4 further ranks and transports use less "
                                         "than 80 % of the bandwidth of their chip");
    text_clear(&last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standards_of_the_generations),
        cmocka_unit_test(the_cause_of_a_low_bandwidth),
        cmocka_unit_test(a_genuine_capture_has_small_packages),
        cmocka_unit_test(many_ranks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
