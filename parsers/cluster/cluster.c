#include "parsers/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/cluster/cluster_internal.h"
#include "parsers/framework_db/rank_files.h"

static const enum step_time spread_times[CLUSTER_SPREADS] = {
    STEP_COMPUTING, STEP_COMMUNICATION_ALONE, STEP_FREE};
static const enum comm_transport links[CLUSTER_LINKS] = {COMM_SDMA, COMM_RDMA};

enum step_time cluster_spread_time(size_t spread)
{
    return spread_times[spread];
}

const char *cluster_link_name(size_t link)
{
    return comm_transport_name(links[link]);
}

/* Computes the place of a rank in data, pipeline and tensor parallelism: tensor ranks
 * are next to each other, and a stage is a block of ranks. */
static void find_place(struct cluster_rank *rank)
{
    const struct profiler_metadata *metadata = &rank->metadata;
    uint64_t context = metadata->context ? metadata->context : 1, product, block, inner;

    rank->dp = rank->pp = rank->tp = -1;
    if (!metadata->tensor || !metadata->pipeline || !metadata->data ||
        __builtin_mul_overflow(metadata->tensor, metadata->pipeline, &product) ||
        __builtin_mul_overflow(product, metadata->data, &product) ||
        product != metadata->world || (uint64_t)rank->rank >= metadata->world)
        return;
    block = metadata->world / metadata->pipeline;
    if (__builtin_mul_overflow(metadata->tensor, context, &inner) || block % inner != 0)
        return;
    rank->pp = (int)((uint64_t)rank->rank / block);
    rank->dp = (int)((uint64_t)rank->rank % block / inner);
    rank->tp = (int)((uint64_t)rank->rank % metadata->tensor);
}

static void add_limitations(struct cluster *cluster, int64_t rank, const char *lines)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");

        text_printf(&cluster->limitations, "rank %lld: %.*s\n", (long long)rank, length,
                    lines);
        lines += length + 1;
    }
}

static void read_rank(struct cluster *cluster, const struct rank_folder *folder)
{
    struct cluster_rank *rank = &cluster->ranks[cluster->count++];
    struct text limitations = {0};

    *rank = (struct cluster_rank){
        .rank = folder->rank, .path = xstrdup(folder->path), .metadata = {.rank = -1}};
    rank->comm.names = cluster->names;
    rank_files_read_steps(&rank->steps, folder, &limitations);
    rank_files_read_comm(&rank->comm, cluster->names, folder, &limitations);
    rank_files_read_matrix(&rank->matrix, cluster->names, folder, &limitations);
    rank_files_read_metadata(&rank->metadata, folder, &limitations);
    rank_files_read_host(&rank->host, folder, &limitations);
    link_use_count(rank->use, &rank->comm, rank->host.chip);
    add_limitations(cluster, folder->rank, text_get(&limitations));
    text_clear(&limitations);
    if (rank->metadata.world > cluster->world)
        cluster->world = rank->metadata.world;
    find_place(rank);
}

static void find_missing(struct cluster *cluster)
{
    size_t next = 0;

    text_add(&cluster->missing, "");
    for (uint64_t rank = 0; rank < cluster->world && cluster->world <= 1 << 20;
         rank++) {
        while (next < cluster->count && (uint64_t)cluster->ranks[next].rank < rank)
            next++;
        if (next == cluster->count || (uint64_t)cluster->ranks[next].rank != rank)
            text_printf(&cluster->missing, "%s%llu", cluster->missing.length ? " " : "",
                        (unsigned long long)rank);
    }
}

static bool has_step(const struct step_trace *steps, const char *step)
{
    for (size_t i = 0; i < steps->count; i++)
        if (strcmp(steps->rows[i].step, step) == 0)
            return true;
    return false;
}

/* Finds ranks whose steps are all others than those of the first rank with steps: they
 * are of another run. */
static void find_other_runs(struct cluster *cluster)
{
    const struct step_trace *first = NULL;

    text_add(&cluster->others, "");
    for (size_t i = 0; i < cluster->count; i++) {
        const struct step_trace *steps = &cluster->ranks[i].steps;
        bool shared = false;

        if (steps->count == 0)
            continue;
        first = first ? first : steps;
        for (size_t j = 0; j < steps->count && !shared; j++)
            shared = has_step(first, steps->rows[j].step);
        if (!shared)
            text_printf(&cluster->others, "%s%lld", cluster->others.length ? " " : "",
                        (long long)cluster->ranks[i].rank);
    }
}

/* Compares the steps of all ranks: a value per step and rank. */
static void compare_steps(struct cluster *cluster)
{
    size_t room = 0, count = 0;
    double *values[CLUSTER_SPREADS], *totals;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].steps.count;
    cluster->spread_ranks = xcalloc(room + 1, sizeof(*cluster->spread_ranks));
    totals = xcalloc(room + 1, sizeof(*totals));
    for (size_t i = 0; i < CLUSTER_SPREADS; i++)
        values[i] = xcalloc(room + 1, sizeof(*values[i]));
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].steps.count; j++) {
            const double *us = cluster->ranks[i].steps.rows[j].us;

            if (isnan(us[STEP_COMPUTING] + us[STEP_COMMUNICATION_ALONE] +
                      us[STEP_FREE]))
                continue;
            for (size_t k = 0; k < CLUSTER_SPREADS; k++) {
                values[k][count] = us[spread_times[k]];
                totals[count] += us[spread_times[k]];
            }
            cluster->spread_ranks[count++] = i;
        }
    for (size_t i = 0; i < CLUSTER_SPREADS; i++) {
        cluster->spreads[i] = spread_of(values[i], totals, count);
        free(values[i]);
    }
    cluster->spread_count = count;
    free(totals);
}

static void compare_links(struct cluster *cluster)
{
    double *values = xcalloc(cluster->count + 1, sizeof(*values));

    for (size_t link = 0; link < CLUSTER_LINKS; link++) {
        size_t count = 0;

        cluster->link_ranks[link] =
            xcalloc(cluster->count + 1, sizeof(*cluster->link_ranks[link]));
        for (size_t i = 0; i < cluster->count; i++) {
            struct cluster_rank *rank = &cluster->ranks[i];

            for (size_t j = 0; j < rank->comm.count; j++) {
                rank->size_mb[link] += rank->comm.rows[j].traffic[links[link]].size_mb;
                rank->time_ms[link] += rank->comm.rows[j].traffic[links[link]].time_ms;
            }
            rank->bandwidth[link] =
                rank->time_ms[link] > 0
                    ? cluster_bandwidth(rank->size_mb[link], rank->time_ms[link])
                    : NAN;
            if (isnan(rank->bandwidth[link]))
                continue;
            values[count] = rank->bandwidth[link];
            cluster->link_ranks[link][count++] = i;
        }
        cluster->link_counts[link] = count;
        cluster->links[link] = spread_of(values, NULL, count);
    }
    free(values);
}

struct cluster *cluster_create(const struct rank_folders *folders)
{
    struct cluster *cluster = xcalloc(1, sizeof(*cluster));

    cluster->names = names_create();
    cluster->ranks = xcalloc(folders->count + 1, sizeof(*cluster->ranks));
    for (size_t i = 0; i < folders->count; i++)
        read_rank(cluster, &folders->rows[i]);
    find_missing(cluster);
    cluster_find_groups(cluster);
    cluster_find_stages(cluster);
    cluster_find_links(cluster);
    find_other_runs(cluster);
    if (cluster->others.length == 0) {
        compare_steps(cluster);
        compare_links(cluster);
    }
    cluster_compare_collectives(cluster);
    cluster_find_waits(cluster);
    return cluster;
}

void cluster_destroy(struct cluster *cluster)
{
    if (!cluster)
        return;
    for (size_t i = 0; i < cluster->count; i++) {
        free(cluster->ranks[i].path);
        step_trace_clear(&cluster->ranks[i].steps);
        comm_ops_clear(&cluster->ranks[i].comm);
        comm_matrix_clear(&cluster->ranks[i].matrix);
        profiler_metadata_clear(&cluster->ranks[i].metadata);
    }
    for (size_t i = 0; i < cluster->group_count; i++) {
        free(cluster->groups[i].ranks);
        free(cluster->groups[i].totals);
    }
    for (size_t i = 0; i < cluster->stage_count; i++)
        free(cluster->stages[i].ranks);
    for (size_t i = 0; i < CLUSTER_LINKS; i++)
        free(cluster->link_ranks[i]);
    free(cluster->matrix);
    free(cluster->transfers);
    free(cluster->waits);
    free(cluster->times);
    free(cluster->time_ranges);
    free(cluster->groups);
    free(cluster->stages);
    free(cluster->ranks);
    free(cluster->spread_ranks);
    text_clear(&cluster->missing);
    text_clear(&cluster->limitations);
    text_clear(&cluster->others);
    names_destroy(cluster->names);
    free(cluster);
}
