/* together.h - finds the entries of several ranks that belong to one communication
 *
 * In a collective all ranks of the group take part; a send and its receive are entries
 * of two ranks. */
#ifndef PARSERS_CLUSTER_TOGETHER_H
#define PARSERS_CLUSTER_TOGETHER_H

#include "parsers/cluster/cluster.h"

/* The part of a rank. */
struct together_op {
    const struct comm_op *op;
    size_t rank;  /* place in the ranks of the cluster */
    uint32_t key; /* equal for all parts of a communication of a group and step */
};

typedef void
together_fn(struct cluster *cluster, const struct together_op *ops, size_t count);

/* Calls fn for each collective that all ranks of its group have. */
void together_each_collective(struct cluster *cluster, together_fn *fn);
/* Calls fn for each pair: a send and its receive, or hcom_batchSendRecv on two ranks.
 * The number of the group and the sequence number in their names are equal. */
void together_each_pair(struct cluster *cluster, together_fn *fn);

#endif
