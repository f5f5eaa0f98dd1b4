/* comm_sets.h - the collectives and links of all ranks, sorted by the ranks of a group,
 * step, group and operator
 *
 * Several groups can have the same ranks; they form one set. A set has only ranks with
 * files. */
#ifndef PARSERS_CLUSTER_FILES_COMM_SETS_H
#define PARSERS_CLUSTER_FILES_COMM_SETS_H

#include "parsers/cluster/cluster.h"

/* An operator of a rank. */
struct comm_entry {
    size_t set, group, rank; /* places in the sets, groups and ranks */
    uint32_t step, name;     /* names of the cluster */
    size_t op;               /* place in the operators of the rank */
};

/* A link of a kind of operators, or of the sum of all kinds. */
struct link_entry {
    size_t set, group;
    uint32_t step, kind, op, transport;
    int64_t from, to; /* ranks of the program */
    bool is_sum;
    double size_mb, time_ms;
};

struct rank_set {
    unsigned *ranks; /* sorted */
    size_t count;
};

struct comm_sets {
    const struct cluster *cluster; /* borrowed */
    struct rank_set *rows;
    size_t count;
    size_t *set_of; /* per group */
    struct comm_entry *entries;
    size_t entry_count;
    struct link_entry *links; /* equal links of several ranks are added up */
    size_t link_count;
};

struct comm_sets *comm_sets_create(const struct cluster *cluster);
void comm_sets_destroy(struct comm_sets *sets); /* NULL is allowed */

/* Returns the number of entries of one set, step and group, from `first` on. */
size_t comm_sets_group_length(const struct comm_sets *sets, size_t first);

static inline const struct comm_op *comm_sets_op(const struct comm_sets *sets,
                                                 const struct comm_entry *entry)
{
    return &sets->cluster->ranks[entry->rank].comm.rows[entry->op];
}

#endif
