#include "parsers/cluster/cluster_findings.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/cluster/report_waits.h"

enum { TRANSFERS_SAID = 3 };

static void
say_spread(const struct cluster *cluster, size_t place, sentence_fn *fn, void *arg)
{
    const struct spread *spread = &cluster->spreads[place];
    char *sentence;

    if (!spread->is_issue && !spread->is_own_issue)
        return;
    sentence = xasprintf(
        "%s differs by %.3f ms between ranks: rank %lld has the most, rank %lld the "
        "least "
        "(%.1f %% of a step, %.1f %% of the mean)",
        step_time_name(cluster_spread_time(place)), spread->gap / 1000,
        (long long)cluster->ranks[cluster->spread_ranks[spread->highest]].rank,
        (long long)cluster->ranks[cluster->spread_ranks[spread->lowest]].rank,
        100 * spread->ratio, 100 * spread->own_ratio);
    fn(arg, sentence);
    free(sentence);
}

static void
say_link(const struct cluster *cluster, size_t link, sentence_fn *fn, void *arg)
{
    const struct spread *spread = &cluster->links[link];
    const size_t *places = cluster->link_ranks[link];
    char *sentence;

    if (cluster->link_counts[link] < 2 || !spread->is_own_issue)
        return;
    sentence = xasprintf("The bandwidth by %s differs by %.1f %%: rank %lld has %.4f "
                         "GB/s, rank %lld %.4f "
                         "GB/s",
                         cluster_link_name(link), 100 * spread->own_ratio,
                         (long long)cluster->ranks[places[spread->lowest]].rank,
                         cluster->ranks[places[spread->lowest]].bandwidth[link],
                         (long long)cluster->ranks[places[spread->highest]].rank,
                         cluster->ranks[places[spread->highest]].bandwidth[link]);
    fn(arg, sentence);
    free(sentence);
}

/* The second method, by the shares of the waits, names its own votes. */
static void say_ratios(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    char *sentence;

    for (size_t i = 0; i < cluster->count; i++) {
        const struct cluster_rank *rank = &cluster->ranks[i];

        if (rank->ratio_votes * 2 < cluster->collectives || rank->ratio_votes == 0)
            continue;
        sentence =
            xasprintf("By the shares of the waits, the other ranks wait for rank "
                      "%lld in %zu of %zu collectives",
                      (long long)rank->rank, rank->ratio_votes, cluster->collectives);
        fn(arg, sentence);
        free(sentence);
    }
    if (cluster->uneven_collectives * 2 >= cluster->collectives &&
        cluster->uneven_collectives > 0) {
        sentence = xasprintf("In %zu of %zu collectives ranks wait between their "
                             "transfers: the links have uneven speeds",
                             cluster->uneven_collectives, cluster->collectives);
        fn(arg, sentence);
        free(sentence);
    }
}

static void say_transfers(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    for (size_t i = 0; i < cluster->transfer_count && i < TRANSFERS_SAID; i++) {
        const struct cluster_transfer *row = &cluster->transfers[i];
        char *sentence = xasprintf(
            "The transfer of %s takes %.3f ms; %zu transfers of its type and size "
            "(%.3f MB on %zu ranks) take %.3f ms on average",
            names_text(cluster->names, row->name), row->time_ms, row->compared,
            row->size_mb, row->ranks, row->mean_ms);

        fn(arg, sentence);
        free(sentence);
    }
}

static void say_votes(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    for (size_t i = 0; i < cluster->count; i++) {
        char *sentence;

        if (cluster->ranks[i].votes == 0)
            continue;
        sentence =
            xasprintf("Rank %lld entered %zu of %zu collectives last, far behind "
                      "the other ranks",
                      (long long)cluster->ranks[i].rank, cluster->ranks[i].votes,
                      cluster->collectives);
        fn(arg, sentence);
        free(sentence);
    }
}

void cluster_findings_each(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    if (cluster->missing.length > 0) {
        char *sentence =
            xasprintf("Of %llu ranks of the program, these have no folder: %s",
                      (unsigned long long)cluster->world, text_get(&cluster->missing));

        fn(arg, sentence);
        free(sentence);
    }
    if (cluster->others.length > 0) {
        char *sentence = xasprintf("These ranks have no step of the first one, so the "
                                   "captures are of several runs and their times are "
                                   "not compared: %s",
                                   text_get(&cluster->others));

        fn(arg, sentence);
        free(sentence);
    }
    for (size_t i = 0; cluster->spread_count > 1 && i < CLUSTER_SPREADS; i++)
        say_spread(cluster, i, fn, arg);
    say_votes(cluster, fn, arg);
    say_ratios(cluster, fn, arg);
    report_waits_say(cluster, fn, arg);
    say_transfers(cluster, fn, arg);
    for (size_t i = 0; i < CLUSTER_LINKS; i++)
        say_link(cluster, i, fn, arg);
    report_links_say(cluster, fn, arg);
}
