/* waits.c - the longest waits of ranks for each other, in collectives and in pairs of
 * sends and receives
 *
 * A communication ends everywhere at once, so the rank with the shortest time came
 * last, and the one with the longest time waited most. */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/cluster/cluster_internal.h"
#include "parsers/cluster/together.h"

static const double least_wait_ms = 0.1, least_share = 0.05;

static void
note_wait(struct cluster *cluster, const struct together_op *ops, size_t count)
{
    size_t last = 0, first = 0;
    double shortest, longest;

    for (size_t i = 1; i < count; i++) {
        double ms = ops[i].op->times.elapse_ms;

        if (ms < ops[last].op->times.elapse_ms)
            last = i;
        if (ms > ops[first].op->times.elapse_ms)
            first = i;
    }
    shortest = ops[last].op->times.elapse_ms;
    longest = ops[first].op->times.elapse_ms;
    if (!(longest - shortest >= least_wait_ms) ||
        !(longest - shortest >= least_share * longest))
        return;
    cluster->waits =
        xreallocarray(cluster->waits, cluster->wait_count + 1, sizeof(*cluster->waits));
    cluster->waits[cluster->wait_count++] =
        (struct cluster_wait){.name = ops[first].op->name,
                              .group = ops[first].op->group,
                              .step = ops[first].op->step,
                              .is_p2p = ops[first].op->is_p2p,
                              .ranks = count,
                              .last = ops[last].rank,
                              .waiting = ops[first].rank,
                              .shortest_ms = shortest,
                              .longest_ms = longest};
}

/* The longest wait first. */
static int compare_waits(const void *a, const void *b)
{
    const struct cluster_wait *left = a, *right = b;
    double one = left->longest_ms - left->shortest_ms;
    double other = right->longest_ms - right->shortest_ms;

    if (one != other)
        return one > other ? -1 : 1;
    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    return (left->step > right->step) - (left->step < right->step);
}

void cluster_find_waits(struct cluster *cluster)
{
    together_each_collective(cluster, note_wait);
    together_each_pair(cluster, note_wait);
    if (cluster->wait_count > 0)
        qsort(cluster->waits, cluster->wait_count, sizeof(*cluster->waits),
              compare_waits);
}
