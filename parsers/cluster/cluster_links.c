/* cluster_links.c - the traffic of each link between two ranks, and slow links */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "parsers/cluster/cluster_internal.h"

enum { UNKNOWN = -1, LEAST_LINKS = 3 };
static const double least_mb = 1, similar = 2, slow_share = 0.8;

/* The ranks of the program at the places of a group. */
struct places {
    uint32_t group;
    int64_t *ranks;
    size_t count;
};

static void set_place(struct places *places, size_t place, int64_t rank)
{
    if (place >= places->count) {
        places->ranks = xreallocarray(places->ranks, place + 1, sizeof(*places->ranks));
        while (places->count <= place)
            places->ranks[places->count++] = UNKNOWN;
    }
    if (places->ranks[place] == UNKNOWN)
        places->ranks[place] = rank;
}

/* The metadata names the ranks of a group. Without it, a rank's copies to itself show
 * its own place. */
static struct places find_places(const struct cluster *cluster, uint32_t group)
{
    struct places places = {.group = group};
    char hash[24];

    for (size_t i = 0; i < cluster->count; i++) {
        const struct cluster_rank *rank = &cluster->ranks[i];

        for (size_t j = 0; j < rank->metadata.group_count; j++) {
            const struct profiler_group *known = &rank->metadata.groups[j];

            snprintf(hash, sizeof(hash), "%llu", (unsigned long long)known->hash);
            for (size_t k = 0; strcmp(hash, names_text(cluster->names, group)) == 0 &&
                               k < known->rank_count;
                 k++)
                set_place(&places, k, known->ranks[k]);
        }
    }
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].matrix.count; j++) {
            const struct comm_link *link = &cluster->ranks[i].matrix.rows[j];

            if (link->group == group && link->from == link->to)
                set_place(&places, link->from, cluster->ranks[i].rank);
        }
    return places;
}

static int64_t rank_at(const struct places *places, unsigned place)
{
    return place < places->count ? places->ranks[place] : UNKNOWN;
}

static int compare_names(const struct cluster_link *a, const struct cluster_link *b)
{
    int order = strcmp(a->hash, b->hash);

    return order ? order : strcmp(a->transport, b->transport);
}

static int by_ends(const void *a, const void *b)
{
    const struct cluster_link *left = a, *right = b;
    int order = compare_names(left, right);

    if (order)
        return order;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

static int by_size(const void *a, const void *b)
{
    const struct cluster_link *left = a, *right = b;
    int order = compare_names(left, right);

    if (order)
        return order;
    return left->size_mb < right->size_mb ? -1 : left->size_mb > right->size_mb;
}

static const struct places *places_of(const struct cluster *cluster,
                                      struct places **all,
                                      size_t *count,
                                      uint32_t group)
{
    for (size_t i = 0; i < *count; i++)
        if ((*all)[i].group == group)
            return &(*all)[i];
    *all = xreallocarray(*all, *count + 1, sizeof(**all));
    (*all)[*count] = find_places(cluster, group);
    return &(*all)[(*count)++];
}

static void collect(struct cluster *cluster)
{
    struct places *places = NULL;
    size_t room = 0, groups = 0;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].matrix.count;
    cluster->matrix = xcalloc(room + 1, sizeof(*cluster->matrix));
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].matrix.count; j++) {
            const struct comm_link *link = &cluster->ranks[i].matrix.rows[j];
            const struct places *of = places_of(cluster, &places, &groups, link->group);
            int64_t from = rank_at(of, link->from), to = rank_at(of, link->to);

            if (from == UNKNOWN || to == UNKNOWN) {
                cluster->unmapped_links++;
                continue;
            }
            cluster->matrix[cluster->matrix_count++] = (struct cluster_link){
                .hash = names_text(cluster->names, link->group),
                .transport = names_text(cluster->names, link->transport),
                .from = from,
                .to = to,
                .size_mb = link->size_mb,
                .time_ms = link->time_ms};
        }
    for (size_t i = 0; i < groups; i++)
        free(places[i].ranks);
    free(places);
}

/* Adds the traffic of all steps and types of operators. */
static void join(struct cluster *cluster)
{
    struct cluster_link *links = cluster->matrix;
    size_t kept = 0;

    qsort(links, cluster->matrix_count, sizeof(*links), by_ends);
    for (size_t i = 0; i < cluster->matrix_count; i++) {
        if (kept > 0 && by_ends(&links[kept - 1], &links[i]) == 0) {
            links[kept - 1].size_mb += links[i].size_mb;
            links[kept - 1].time_ms += links[i].time_ms;
        } else {
            links[kept++] = links[i];
        }
    }
    cluster->matrix_count = kept;
    for (size_t i = 0; i < kept; i++)
        links[i].gb_per_s = cluster_bandwidth(links[i].size_mb, links[i].time_ms);
}

/* Compares links of one group and transport and of similar sizes. */
static void judge(struct cluster_link *links, size_t count)
{
    double *values = xcalloc(count, sizeof(*values)), median;

    for (size_t i = 0; i < count; i++)
        values[i] = links[i].gb_per_s;
    median = stats_median(values, count);
    free(values);
    for (size_t i = 0; i < count; i++) {
        links[i].median_gb_per_s = median;
        links[i].compared = count;
        links[i].is_slow = count >= LEAST_LINKS && links[i].size_mb >= least_mb &&
                           links[i].time_ms > 0 &&
                           links[i].gb_per_s < slow_share * median;
    }
}

void cluster_find_links(struct cluster *cluster)
{
    struct cluster_link *links;

    collect(cluster);
    join(cluster);
    links = cluster->matrix;
    qsort(links, cluster->matrix_count, sizeof(*links), by_size);
    for (size_t i = 0, next; i < cluster->matrix_count; i = next) {
        for (next = i + 1; next < cluster->matrix_count &&
                           compare_names(&links[i], &links[next]) == 0 &&
                           links[next].size_mb <= similar * links[i].size_mb;)
            next++;
        if (links[i].from != links[i].to)
            judge(&links[i], next - i);
    }
    qsort(links, cluster->matrix_count, sizeof(*links), by_ends);
}
