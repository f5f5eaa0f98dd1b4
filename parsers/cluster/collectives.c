/* collectives.c - compares the ranks of each collective: ranks that enter late, by the
 * durations and by the shares of the waits, and transfers that take unusually long */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "parsers/cluster/cluster_internal.h"
#include "parsers/cluster/slow_ranks.h"
#include "parsers/cluster/together.h"

static const double waiting_ratio = 0.2;

/* Adds votes by duration: a collective ends everywhere at once, so the shortest one
 * began last. Returns the shortest duration. */
static double judge_durations(struct cluster *cluster,
                              const struct together_op *entries,
                              size_t count)
{
    double *durations = xcalloc(count, sizeof(*durations)), shortest = INFINITY;
    bool *slow = xcalloc(count, sizeof(*slow));

    for (size_t i = 0; i < count; i++) {
        durations[i] = entries[i].op->times.elapse_ms;
        shortest = fmin(shortest, durations[i]);
    }
    slow_ranks_of(durations, count, slow);
    for (size_t i = 0; i < count; i++) {
        cluster->ranks[entries[i].rank].waiting_ms += durations[i] - shortest;
        cluster->ranks[entries[i].rank].transmit_ms += shortest;
        cluster->ranks[entries[i].rank].votes += slow[i];
    }
    free(durations);
    free(slow);
    return shortest;
}

/* When a rank spends more than a fifth of a collective waiting, the rank that waits
 * least is late; unless the waits are between transfers, which then have uneven speeds.
 * A collective without transfers has no ratios. */
static void
judge_ratios(struct cluster *cluster, const struct together_op *entries, size_t count)
{
    size_t most = 0, least = 0;
    double highest = -1, lowest = 2;

    for (size_t i = 0; i < count; i++) {
        const struct comm_times *times = &entries[i].op->times;
        double ratio = cluster_ratio(times->wait_ms, times->transit_ms);

        if (times->transit_ms <= 0)
            return;
        if (ratio > highest) {
            highest = ratio;
            most = i;
        }
        if (ratio < lowest) {
            lowest = ratio;
            least = i;
        }
    }
    if (highest <= waiting_ratio)
        return;
    cluster->waiting_collectives++;
    if (cluster_ratio(entries[most].op->times.sync_ms,
                      entries[most].op->times.transit_ms) > waiting_ratio)
        cluster->ranks[entries[least].rank].ratio_votes++;
    else
        cluster->uneven_collectives++;
}

/* Returns the name of hcom_allReduce in hcom_allReduce__586_0_1. */
static uint32_t type_of(struct names *names, uint32_t name)
{
    const char *text = names_text(names, name), *end = strstr(text, "__");
    char *type = end ? xstrndup(text, (size_t)(end - text)) : xstrdup(text);
    uint32_t number = names_add(names, type);

    free(type);
    return number;
}

/* The time that no rank waits is that of the transfer. */
static void note_transfer(struct cluster *cluster,
                          const struct together_op *entries,
                          size_t count,
                          double shortest)
{
    struct cluster_transfer *transfer;
    double size_mb = 0;

    for (size_t i = 0; i < count; i++) {
        const struct comm_traffic *traffic = entries[i].op->traffic;

        size_mb =
            fmax(size_mb, traffic[COMM_SDMA].size_mb + traffic[COMM_RDMA].size_mb);
    }
    if (size_mb <= 0)
        return;
    cluster->transfers = xreallocarray(cluster->transfers, cluster->transfer_count + 1,
                                       sizeof(*cluster->transfers));
    transfer = &cluster->transfers[cluster->transfer_count++];
    *transfer = (struct cluster_transfer){
        .type = type_of(cluster->names, entries->op->name),
        .name = entries->op->name,
        .group = entries->op->group,
        .step = entries->op->step,
        .ranks = count,
        .size_mb = size_mb,
        .time_ms = shortest,
    };
}

static int by_kind(const struct cluster_transfer *a, const struct cluster_transfer *b)
{
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    return a->size_mb < b->size_mb ? -1 : a->size_mb > b->size_mb;
}

static int compare_transfers(const void *a, const void *b)
{
    const struct cluster_transfer *left = a, *right = b;
    int order = by_kind(left, right);

    if (order)
        return order;
    return left->time_ms < right->time_ms ? -1 : left->time_ms > right->time_ms;
}

static void judge_kind(struct cluster_transfer *transfers, size_t count)
{
    double *times = xcalloc(count, sizeof(*times)), mean, deviation, sigma;

    for (size_t i = 0; i < count; i++)
        times[i] = transfers[i].time_ms;
    mean = stats_mean(times, count);
    deviation = stats_deviation(times, count);
    sigma = deviation * sqrt((double)(count - 1) / (double)count);
    for (size_t i = 0; i < count; i++) {
        transfers[i].compared = count;
        transfers[i].mean_ms = mean;
        transfers[i].score = deviation > 0 ? (times[i] - mean) / deviation : 0;
        transfers[i].is_outlier = sigma > 0 && fabs(times[i] - mean) > 3 * sigma;
    }
    free(times);
}

/* The most unusual transfer first. */
static int by_score(const void *a, const void *b)
{
    const struct cluster_transfer *left = a, *right = b;
    double one = fabs(left->score), other = fabs(right->score);

    if (left->is_outlier != right->is_outlier)
        return left->is_outlier ? -1 : 1;
    if (one != other)
        return one > other ? -1 : 1;
    return left->name < right->name ? -1 : left->name > right->name;
}

/* Compares transfers of one type of operator, size and number of ranks, and keeps the
 * unusual ones. */
static void compare_kinds(struct cluster *cluster)
{
    struct cluster_transfer *rows = cluster->transfers;
    size_t count = cluster->transfer_count, next;

    if (count == 0)
        return;
    qsort(rows, count, sizeof(*rows), compare_transfers);
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && by_kind(&rows[i], &rows[next]) == 0;)
            next++;
        if (next - i > 1)
            judge_kind(&rows[i], next - i);
    }
    qsort(rows, count, sizeof(*rows), by_score);
    cluster->transfer_count = 0;
    while (cluster->transfer_count < count && rows[cluster->transfer_count].is_outlier)
        cluster->transfer_count++;
}

static void
compare_ranks(struct cluster *cluster, const struct together_op *entries, size_t count)
{
    cluster->collectives++;
    judge_ratios(cluster, entries, count);
    note_transfer(cluster, entries, count, judge_durations(cluster, entries, count));
}

void cluster_compare_collectives(struct cluster *cluster)
{
    together_each_collective(cluster, compare_ranks);
    compare_kinds(cluster);
}
