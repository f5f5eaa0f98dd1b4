#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/cluster/cluster_internal.h"

enum { NONE = -1 };

static bool has_rank(const struct cluster_group *group, unsigned rank)
{
    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] == rank)
            return true;
    return false;
}

static int compare_ranks(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

    return left < right ? -1 : left > right;
}

static void add_rank(struct cluster_group *group, unsigned rank)
{
    if (has_rank(group, rank))
        return;
    group->ranks =
        xreallocarray(group->ranks, group->rank_count + 1, sizeof(*group->ranks));
    group->ranks[group->rank_count++] = rank;
    qsort(group->ranks, group->rank_count, sizeof(*group->ranks), compare_ranks);
}

/* Adds the name and all ranks that the metadata of a rank has for the group. */
static void add_metadata(struct cluster_group *group,
                         const struct profiler_metadata *metadata)
{
    char hash[24];

    for (size_t i = 0; i < metadata->group_count; i++) {
        const struct profiler_group *known = &metadata->groups[i];

        snprintf(hash, sizeof(hash), "%llu", (unsigned long long)known->hash);
        if (strcmp(hash, group->hash) != 0)
            continue;
        group->name = known->name;
        group->id = known->id;
        for (size_t j = 0; j < known->rank_count; j++)
            add_rank(group, known->ranks[j]);
    }
}

static struct cluster_group *
find_group(struct cluster *cluster, const char *hash, bool is_p2p)
{
    for (size_t i = 0; i < cluster->group_count; i++)
        if (strcmp(cluster->groups[i].hash, hash) == 0 &&
            cluster->groups[i].is_p2p == is_p2p)
            return &cluster->groups[i];
    cluster->groups = xreallocarray(cluster->groups, cluster->group_count + 1,
                                    sizeof(*cluster->groups));
    cluster->groups[cluster->group_count] =
        (struct cluster_group){.hash = hash, .name = "", .id = "", .is_p2p = is_p2p};
    return &cluster->groups[cluster->group_count++];
}

static struct group_total *find_total(struct cluster_group *group, size_t rank)
{
    if (group->total_count > 0 && group->totals[group->total_count - 1].rank == rank)
        return &group->totals[group->total_count - 1];
    group->totals =
        xreallocarray(group->totals, group->total_count + 1, sizeof(*group->totals));
    group->totals[group->total_count] = (struct group_total){.rank = rank};
    return &group->totals[group->total_count++];
}

static void add_op(struct group_total *total, const struct comm_op *op)
{
    total->times.elapse_ms += op->times.elapse_ms;
    total->times.transit_ms += op->times.transit_ms;
    total->times.wait_ms += op->times.wait_ms;
    total->times.sync_ms += op->times.sync_ms;
    total->times.idle_ms += op->times.idle_ms;
    for (size_t i = 0; i < COMM_TRANSPORT_COUNT; i++) {
        total->traffic[i].size_mb += op->traffic[i].size_mb;
        total->traffic[i].time_ms += op->traffic[i].time_ms;
    }
}

void cluster_find_groups(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].comm.count; j++) {
            const struct comm_op *op = &cluster->ranks[i].comm.rows[j];
            struct cluster_group *group =
                find_group(cluster, names_text(cluster->names, op->group), op->is_p2p);

            add_rank(group, (unsigned)cluster->ranks[i].rank);
            add_op(find_total(group, i), op);
        }
    for (size_t i = 0; i < cluster->group_count; i++)
        for (size_t j = 0; j < cluster->count; j++)
            add_metadata(&cluster->groups[i], &cluster->ranks[j].metadata);
}

/* Sets of ranks; each rank has the number of its set. */
struct sets {
    unsigned *ranks;
    int *set;
    size_t count;
};

static size_t place_of(struct sets *sets, unsigned rank)
{
    for (size_t i = 0; i < sets->count; i++)
        if (sets->ranks[i] == rank)
            return i;
    sets->ranks = xreallocarray(sets->ranks, sets->count + 1, sizeof(*sets->ranks));
    sets->set = xreallocarray(sets->set, sets->count + 1, sizeof(*sets->set));
    sets->ranks[sets->count] = rank;
    sets->set[sets->count] = (int)sets->count;
    return sets->count++;
}

static void join(struct sets *sets, const struct cluster_group *group)
{
    for (size_t i = 0; i < group->rank_count; i++) {
        size_t begin = place_of(sets, group->ranks[0]);
        size_t place = place_of(sets, group->ranks[i]);
        int first = sets->set[begin], other = sets->set[place];

        for (size_t j = 0; j < sets->count; j++)
            if (sets->set[j] == other)
                sets->set[j] = first;
    }
}

static int set_of(const struct sets *sets, unsigned rank)
{
    for (size_t i = 0; i < sets->count; i++)
        if (sets->ranks[i] == rank)
            return sets->set[i];
    return NONE;
}

/* Returns true when the group has two ranks of one pipeline. */
static bool crosses_stages(const struct sets *chains, const struct cluster_group *group)
{
    for (size_t i = 0; i < group->rank_count; i++)
        for (size_t j = 0; j < i; j++)
            if (set_of(chains, group->ranks[i]) != NONE &&
                set_of(chains, group->ranks[i]) == set_of(chains, group->ranks[j]))
                return true;
    return false;
}

static void add_stage(struct cluster *cluster, const struct sets *stages, int set)
{
    struct cluster_stage stage = {.ranks =
                                      xcalloc(stages->count, sizeof(*stage.ranks))};

    for (size_t i = 0; i < STEP_TIME_COUNT; i++)
        stage.us[i] = NAN;
    for (size_t i = 0; i < stages->count; i++)
        if (stages->set[i] == set)
            stage.ranks[stage.rank_count++] = stages->ranks[i];
    qsort(stage.ranks, stage.rank_count, sizeof(*stage.ranks), compare_ranks);
    for (size_t i = 0; i < cluster->count; i++) {
        const struct cluster_rank *rank = &cluster->ranks[i];

        if (set_of(stages, (unsigned)rank->rank) != set)
            continue;
        for (size_t j = 0; j < rank->steps.count; j++)
            for (size_t k = 0; k < STEP_TIME_COUNT; k++)
                stage.us[k] = fmax(stage.us[k], rank->steps.rows[j].us[k]);
    }
    cluster->stages = xreallocarray(cluster->stages, cluster->stage_count + 1,
                                    sizeof(*cluster->stages));
    cluster->stages[cluster->stage_count++] = stage;
}

static int compare_stages(const void *a, const void *b)
{
    const struct cluster_stage *left = a, *right = b;

    return compare_ranks(&left->ranks[0], &right->ranks[0]);
}

void cluster_find_stages(struct cluster *cluster)
{
    struct sets chains = {0}, stages = {0};

    for (size_t i = 0; i < cluster->group_count; i++)
        if (cluster->groups[i].is_p2p && text_has_prefix(cluster->groups[i].name, "pp"))
            join(&chains, &cluster->groups[i]);
    for (size_t i = 0; chains.count > 0 && i < cluster->group_count; i++)
        if (!cluster->groups[i].is_p2p && !crosses_stages(&chains, &cluster->groups[i]))
            join(&stages, &cluster->groups[i]);
    for (size_t i = 0; i < stages.count; i++)
        if (stages.set[i] == (int)i)
            add_stage(cluster, &stages, (int)i);
    if (cluster->stage_count > 0)
        qsort(cluster->stages, cluster->stage_count, sizeof(*cluster->stages),
              compare_stages);
    free(chains.ranks);
    free(chains.set);
    free(stages.ranks);
    free(stages.set);
}
