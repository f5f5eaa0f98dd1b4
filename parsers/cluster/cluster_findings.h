/* cluster_findings.h - the results of the comparison of ranks, as sentences */
#ifndef PARSERS_CLUSTER_CLUSTER_FINDINGS_H
#define PARSERS_CLUSTER_CLUSTER_FINDINGS_H

#include "parsers/cluster/report_links.h"

/* Calls fn with each finding. A sentence has no full stop. */
void cluster_findings_each(const struct cluster *cluster, sentence_fn *fn, void *arg);

#endif
