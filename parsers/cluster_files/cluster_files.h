/* cluster_files.h - writes the comparison of ranks in the layout that other tools read
 *
 * The folder cluster_analysis_output gets cluster_step_trace_time.csv,
 * communication_group.json, cluster_communication.json,
 * cluster_communication_matrix.json, and the same as cluster_analysis.db. */
#ifndef PARSERS_CLUSTER_FILES_CLUSTER_FILES_H
#define PARSERS_CLUSTER_FILES_CLUSTER_FILES_H

#include "parsers/cluster/cluster.h"

/* Creates the folder below `to` and replaces its files. */
int cluster_files_write(const char *to, const struct cluster *cluster, struct err *err);

#endif
