/* four_ranks_test.h - a cluster of four ranks for the tests: a group of all, and a pair
 */
#ifndef PARSERS_CLUSTER_FOUR_RANKS_TEST_H
#define PARSERS_CLUSTER_FOUR_RANKS_TEST_H

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/cluster/cluster_internal.h"

enum { RANKS = 4, OPS_MAX = 16 };

static struct cluster cluster;
static struct cluster_rank ranks[RANKS];
static struct cluster_group groups[] = {
    {.hash = "7", .name = "dp", .rank_count = RANKS},
    {.hash = "9", .name = "", .is_p2p = true, .rank_count = 2},
};
static struct text out;

static int set_up(void **ctx)
{
    (void)ctx;
    memset(ranks, 0, sizeof(ranks));
    cluster = (struct cluster){.names = names_create(),
                               .ranks = ranks,
                               .count = RANKS,
                               .groups = groups,
                               .group_count = COUNT(groups)};
    for (int i = 0; i < RANKS; i++) {
        ranks[i].rank = 10 + i;
        ranks[i].comm.rows = xcalloc(OPS_MAX, sizeof(*ranks[i].comm.rows));
    }
    return 0;
}

static int clear(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < RANKS; i++)
        free(ranks[i].comm.rows);
    free(cluster.waits);
    free(cluster.times);
    free(cluster.time_ranges);
    names_destroy(cluster.names);
    text_clear(&out);
    return 0;
}

static void
add(int rank, const char *group, const char *name, const char *step, double ms)
{
    struct comm_op *op = &ranks[rank].comm.rows[ranks[rank].comm.count++];

    op->name = names_add(cluster.names, name);
    op->group = names_add(cluster.names, group);
    op->step = names_add(cluster.names, step);
    op->is_p2p = comm_name_is_p2p(name);
    op->times.elapse_ms = ms;
}

/* Adds a collective with its time on each of the four ranks. */
static void add_collective(const char *name,
                           const char *step,
                           double a,
                           double b,
                           double c,
                           double d)
{
    const double ms[RANKS] = {a, b, c, d};

    for (int i = 0; i < RANKS; i++)
        add(i, "7", name, step, ms[i]);
}

#endif
