#include "parsers/cluster_files/comm_sets.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/cluster/group_places.h"

static int compare_ranks(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

    return left < right ? -1 : left > right;
}

/* Returns the place of the set of ranks that have files about the group. */
static size_t find_set(struct comm_sets *sets, const struct cluster_group *group)
{
    struct rank_set set = {.ranks = xcalloc(group->total_count + 1, sizeof(unsigned)),
                           .count = group->total_count};

    for (size_t i = 0; i < group->total_count; i++)
        set.ranks[i] = (unsigned)sets->cluster->ranks[group->totals[i].rank].rank;
    qsort(set.ranks, set.count, sizeof(*set.ranks), compare_ranks);
    for (size_t i = 0; i < sets->count; i++)
        if (sets->rows[i].count == set.count &&
            memcmp(sets->rows[i].ranks, set.ranks, set.count * sizeof(*set.ranks)) ==
                0) {
            free(set.ranks);
            return i;
        }
    sets->rows = xreallocarray(sets->rows, sets->count + 1, sizeof(*sets->rows));
    sets->rows[sets->count] = set;
    return sets->count++;
}

/* Returns the place of the group, or SIZE_MAX. Links do not tell whether they are
 * point-to-point: is_p2p is then -1. */
static size_t find_group(const struct cluster *cluster, uint32_t hash, int is_p2p)
{
    for (size_t i = 0; i < cluster->group_count; i++)
        if ((is_p2p < 0 || cluster->groups[i].is_p2p == is_p2p) &&
            strcmp(cluster->groups[i].hash, names_text(cluster->names, hash)) == 0)
            return i;
    return SIZE_MAX;
}

static void collect_entries(struct comm_sets *sets)
{
    const struct cluster *cluster = sets->cluster;
    size_t room = 0;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].comm.count;
    sets->entries = xcalloc(room + 1, sizeof(*sets->entries));
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].comm.count; j++) {
            const struct comm_op *op = &cluster->ranks[i].comm.rows[j];
            size_t group = find_group(cluster, op->group, op->is_p2p);

            if (group != SIZE_MAX)
                sets->entries[sets->entry_count++] = (struct comm_entry){
                    sets->set_of[group], group, i, op->step, op->name, j};
        }
}

#define COMPARE(a, b, member)                                                          \
    do {                                                                               \
        if ((a)->member != (b)->member)                                                \
            return (a)->member < (b)->member ? -1 : 1;                                 \
    } while (0)

/* Names have the order in which they were read first. */
static int compare_entries(const void *a, const void *b)
{
    const struct comm_entry *left = a, *right = b;

    COMPARE(left, right, set);
    COMPARE(left, right, step);
    COMPARE(left, right, group);
    COMPARE(left, right, name);
    COMPARE(left, right, rank);
    COMPARE(left, right, op);
    return 0;
}

static int compare_link_keys(const struct link_entry *left,
                             const struct link_entry *right)
{
    COMPARE(left, right, set);
    COMPARE(left, right, step);
    COMPARE(left, right, group);
    COMPARE(left, right, kind);
    COMPARE(left, right, from);
    COMPARE(left, right, to);
    return 0;
}

static int compare_links(const void *a, const void *b)
{
    const struct link_entry *left = a, *right = b;
    int order = compare_link_keys(left, right);

    if (order)
        return order;
    COMPARE(left, right, transport);
    COMPARE(left, right, op);
    return 0;
}

/* Adds up the links of one kind that several ranks have; the last operator is kept. */
static void join_links(struct comm_sets *sets)
{
    struct link_entry *links = sets->links;
    size_t kept = 0;

    for (size_t i = 0; i < sets->link_count; i++) {
        if (kept > 0 && compare_link_keys(&links[kept - 1], &links[i]) == 0) {
            links[kept - 1].size_mb += links[i].size_mb;
            links[kept - 1].time_ms += links[i].time_ms;
            links[kept - 1].op = links[i].op;
        } else {
            links[kept++] = links[i];
        }
    }
    sets->link_count = kept;
}

static void collect_links(struct comm_sets *sets)
{
    const struct cluster *cluster = sets->cluster;
    struct group_places_list places = {0};
    size_t room = 0;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].matrix.count;
    sets->links = xcalloc(room + 1, sizeof(*sets->links));
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].matrix.count; j++) {
            const struct comm_link *link = &cluster->ranks[i].matrix.rows[j];
            const struct group_places *of =
                group_places_of(&places, cluster, link->group);
            struct link_entry entry = {.group = find_group(cluster, link->group, -1),
                                       .step = link->step,
                                       .kind = link->kind,
                                       .op = link->op,
                                       .transport = link->transport,
                                       .from = group_places_rank(of, link->from),
                                       .to = group_places_rank(of, link->to),
                                       .is_sum = link->is_sum,
                                       .size_mb = link->size_mb,
                                       .time_ms = link->time_ms};

            if (entry.group == SIZE_MAX || entry.from == GROUP_PLACE_UNKNOWN ||
                entry.to == GROUP_PLACE_UNKNOWN)
                continue;
            entry.set = sets->set_of[entry.group];
            sets->links[sets->link_count++] = entry;
        }
    group_places_clear(&places);
}

struct comm_sets *comm_sets_create(const struct cluster *cluster)
{
    struct comm_sets *sets = xcalloc(1, sizeof(*sets));

    sets->cluster = cluster;
    sets->set_of = xcalloc(cluster->group_count + 1, sizeof(*sets->set_of));
    for (size_t i = 0; i < cluster->group_count; i++)
        sets->set_of[i] = find_set(sets, &cluster->groups[i]);
    collect_entries(sets);
    qsort(sets->entries, sets->entry_count, sizeof(*sets->entries), compare_entries);
    collect_links(sets);
    qsort(sets->links, sets->link_count, sizeof(*sets->links), compare_links);
    join_links(sets);
    return sets;
}

size_t comm_sets_group_length(const struct comm_sets *sets, size_t first)
{
    const struct comm_entry *entry = &sets->entries[first];
    size_t count = 1;

    while (first + count < sets->entry_count && entry[count].set == entry->set &&
           entry[count].step == entry->step && entry[count].group == entry->group)
        count++;
    return count;
}

void comm_sets_destroy(struct comm_sets *sets)
{
    if (!sets)
        return;
    for (size_t i = 0; i < sets->count; i++)
        free(sets->rows[i].ranks);
    free(sets->rows);
    free(sets->set_of);
    free(sets->entries);
    free(sets->links);
    free(sets);
}
