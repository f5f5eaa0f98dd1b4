/* cluster_internal.h - the parts of a cluster, in the order in which they run */
#ifndef PARSERS_CLUSTER_CLUSTER_INTERNAL_H
#define PARSERS_CLUSTER_CLUSTER_INTERNAL_H

#include "parsers/cluster/cluster.h"

/* Collects the groups of the communication files with their totals. */
void cluster_find_groups(struct cluster *cluster);
/* Adds up the traffic of each link, and compares the links; needs the metadata. */
void cluster_find_links(struct cluster *cluster);
/* Compares the ranks of each collective; needs the groups. */
void cluster_compare_collectives(struct cluster *cluster);
/* Finds the longest waits of ranks for each other; needs the groups. */
void cluster_find_waits(struct cluster *cluster);
/* Joins ranks to pipeline stages; needs the groups. */
void cluster_find_stages(struct cluster *cluster);

#endif
