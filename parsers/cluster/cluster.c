#include "parsers/cluster/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/cluster/cluster_internal.h"
#include "parsers/cluster/slow_ranks.h"
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

/* A collective of a rank; ranks that take part have the same step, group and name. */
struct entry {
    uint32_t step, group, name;
    size_t rank;
    double elapse_ms;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;

    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static size_t ranks_of_group(const struct cluster *cluster, uint32_t hash)
{
    for (size_t i = 0; i < cluster->group_count; i++)
        if (strcmp(cluster->groups[i].hash, names_text(cluster->names, hash)) == 0)
            return cluster->groups[i].rank_count;
    return 0;
}

/* Adds the votes and the waiting time of one collective of all ranks of its group. */
static void
judge_collective(struct cluster *cluster, const struct entry *entries, size_t count)
{
    double *durations = xcalloc(count, sizeof(*durations)), shortest = INFINITY;
    bool *slow = xcalloc(count, sizeof(*slow));

    for (size_t i = 0; i < count; i++) {
        durations[i] = entries[i].elapse_ms;
        shortest = fmin(shortest, durations[i]);
    }
    slow_ranks_of(durations, count, slow);
    for (size_t i = 0; i < count; i++) {
        cluster->ranks[entries[i].rank].waiting_ms += durations[i] - shortest;
        cluster->ranks[entries[i].rank].votes += slow[i];
    }
    cluster->collectives++;
    free(durations);
    free(slow);
}

static void compare_collectives(struct cluster *cluster)
{
    struct entry *entries;
    size_t room = 0, count = 0;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].comm.count;
    entries = xcalloc(room + 1, sizeof(*entries));
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].comm.count; j++) {
            const struct comm_op *op = &cluster->ranks[i].comm.rows[j];

            if (!op->is_p2p)
                entries[count++] = (struct entry){op->step, op->group, op->name, i,
                                                  op->times.elapse_ms};
        }
    qsort(entries, count, sizeof(*entries), compare_entries);
    for (size_t i = 0, next; i < count; i = next) {
        bool once = true;

        for (next = i + 1; next < count && entries[next].group == entries[i].group &&
                           entries[next].name == entries[i].name &&
                           entries[next].step == entries[i].step;
             next++)
            once &= entries[next].rank != entries[next - 1].rank;
        if (once && next - i > 1 &&
            next - i == ranks_of_group(cluster, entries[i].group))
            judge_collective(cluster, &entries[i], next - i);
    }
    free(entries);
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
    compare_steps(cluster);
    compare_links(cluster);
    compare_collectives(cluster);
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
    free(cluster->groups);
    free(cluster->stages);
    free(cluster->ranks);
    free(cluster->spread_ranks);
    text_clear(&cluster->missing);
    text_clear(&cluster->limitations);
    names_destroy(cluster->names);
    free(cluster);
}
