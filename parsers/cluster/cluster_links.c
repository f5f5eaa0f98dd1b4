/* cluster_links.c - the traffic of each link between two ranks, and slow links */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "parsers/cluster/cluster_internal.h"
#include "parsers/cluster/group_places.h"

enum { LEAST_LINKS = 3 };
static const double least_mb = 1, similar = 2, slow_share = 0.8;

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

static void collect(struct cluster *cluster)
{
    struct group_places_list places = {0};
    size_t room = 0;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].matrix.count;
    cluster->matrix = xcalloc(room + 1, sizeof(*cluster->matrix));
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].matrix.count; j++) {
            const struct comm_link *link = &cluster->ranks[i].matrix.rows[j];
            const struct group_places *of =
                group_places_of(&places, cluster, link->group);
            int64_t from = group_places_rank(of, link->from);
            int64_t to = group_places_rank(of, link->to);

            if (!link->is_sum)
                continue;
            if (from == GROUP_PLACE_UNKNOWN || to == GROUP_PLACE_UNKNOWN) {
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
    group_places_clear(&places);
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
