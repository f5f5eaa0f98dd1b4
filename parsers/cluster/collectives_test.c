/* collectives_test.c - late ranks by the shares of their waits, and unusual transfers
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/cluster/cluster_findings.h"
#include "parsers/cluster/cluster_internal.h"
#include "tests/support/unit.h"

enum { RANKS = 4, OPS_MAX = 64 };

static struct cluster cluster;
static struct cluster_rank ranks[RANKS];
static struct cluster_group group;
static struct text said;

static int set_up(void **ctx)
{
    (void)ctx;
    memset(ranks, 0, sizeof(ranks));
    cluster = (struct cluster){.names = names_create(), .ranks = ranks, .count = RANKS};
    group = (struct cluster_group){.hash = "7", .name = "", .rank_count = RANKS};
    cluster.groups = &group;
    cluster.group_count = 1;
    for (int i = 0; i < RANKS; i++) {
        ranks[i].rank = i;
        ranks[i].comm.rows = xcalloc(OPS_MAX, sizeof(*ranks[i].comm.rows));
    }
    return 0;
}

static int clear(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < RANKS; i++)
        free(ranks[i].comm.rows);
    free(cluster.transfers);
    names_destroy(cluster.names);
    text_clear(&said);
    return 0;
}

/* Adds a collective of all ranks; rank `late` waits least. */
static void
add(const char *name, double transit, double wait, double sync, int late, double size)
{
    for (int i = 0; i < RANKS; i++) {
        struct comm_op *op = &ranks[i].comm.rows[ranks[i].comm.count++];
        double share = i == late ? 0 : 1;

        op->name = names_add(cluster.names, name);
        op->group = names_add(cluster.names, "7");
        op->times = (struct comm_times){.elapse_ms = transit + share * wait,
                                        .transit_ms = transit,
                                        .wait_ms = share * wait,
                                        .sync_ms = share * sync};
        op->traffic[COMM_SDMA].size_mb = size;
    }
}

static void note(void *arg, const char *sentence)
{
    text_printf(arg, "%s.\n", sentence);
}

static const char *findings(void)
{
    text_reset(&said);
    text_add(&said, "");
    cluster_findings_each(&cluster, note, &said);
    return text_get(&said);
}

static void the_rank_with_the_smallest_share_of_waits_is_late(void **ctx)
{
    (void)ctx;
    add("hcom_allReduce__1_0_1", 1.0, 0.5, 0.4, 2, 10);
    add("hcom_allReduce__1_1_1", 1.0, 0.5, 0.4, 2, 10);
    add("hcom_allReduce__1_2_1", 1.0, 0.24, 0.2, 1, 10); /* 0.1935: no problem */
    cluster_compare_collectives(&cluster);
    assert_int_equal(cluster.collectives, 3);
    assert_int_equal(cluster.waiting_collectives, 2);
    assert_int_equal(cluster.uneven_collectives, 0);
    assert_int_equal(ranks[2].ratio_votes, 2);
    assert_int_equal(ranks[1].ratio_votes, 0);
    assert_non_null(
        strstr(findings(), "the other ranks wait for rank 2 in 2 of 3 collectives."));
}

/* Waits that are no synchronisation lie between the transfers. */
static void waits_between_transfers_are_uneven_links(void **ctx)
{
    (void)ctx;
    add("hcom_allReduce__1_0_1", 1.0, 0.5, 0.1, 2, 10);
    cluster_compare_collectives(&cluster);
    assert_int_equal(cluster.uneven_collectives, 1);
    assert_int_equal(ranks[2].ratio_votes, 0);
    assert_non_null(strstr(findings(), "the links have uneven speeds."));
}

static void collectives_without_transfers_have_no_ratios(void **ctx)
{
    (void)ctx;
    add("hcom_allReduce__1_0_1", 0, 0.5, 0.5, 2, 0);
    cluster_compare_collectives(&cluster);
    assert_int_equal(cluster.collectives, 1);
    assert_int_equal(cluster.waiting_collectives, 0);
    assert_int_equal(cluster.transfer_count, 0);
}

/* Of 12 values a single one is at most 3.18 deviations of the population away. */
static void one_long_transfer_among_equal_ones_is_unusual(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < 11; i++) {
        char *name = xasprintf("hcom_allReduce__1_%d_1", i);

        add(name, 1.0, 0, 0, 0, 10);
        free(name);
    }
    add("hcom_allReduce__1_11_1", 2.0, 0, 0, 0, 10);
    add("hcom_allReduce__1_12_1", 9.0, 0, 0, 0, 90); /* of another size */
    add("hcom_allGather__1_13_1", 9.0, 0, 0, 0, 10); /* of another type */
    cluster_compare_collectives(&cluster);
    assert_int_equal(cluster.transfer_count, 1);
    assert_int_equal(cluster.transfers[0].compared, 12);
    assert_true(fabs(cluster.transfers[0].mean_ms - 13.0 / 12) < 1e-12);
    assert_true(fabs(cluster.transfers[0].score - 11 / sqrt(12)) < 1e-9);
    assert_non_null(strstr(findings(),
                           "The transfer of hcom_allReduce__1_11_1 takes 2.000 ms; 12 "
                           "transfers of its type and size (10.000 MB on 4 ranks) take "
                           "1.083 ms on average."));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_rank_with_the_smallest_share_of_waits_is_late),
        CASE(waits_between_transfers_are_uneven_links),
        CASE(collectives_without_transfers_have_no_ratios),
        CASE(one_long_transfer_among_equal_ones_is_unusual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
