/* cluster_findings.h - what the comparison of ranks found, as sentences */
#ifndef PARSERS_CLUSTER_CLUSTER_FINDINGS_H
#define PARSERS_CLUSTER_CLUSTER_FINDINGS_H

#include "parsers/cluster/report_links.h"

/* Calls fn with each finding. A sentence has no full stop. */
void cluster_findings_each(const struct cluster *cluster, sentence_fn *fn, void *arg);

#endif
