/* cluster_report.h - the comparison of ranks as text, JSON and a section of a page */
#ifndef PARSERS_CLUSTER_CLUSTER_REPORT_H
#define PARSERS_CLUSTER_CLUSTER_REPORT_H

#include "lib/base/json_write.h"
#include "lib/base/text.h"
#include "parsers/cluster/cluster.h"

void cluster_report_text(struct text *out, const struct cluster *cluster);
void cluster_report_json(struct json_write *json, const struct cluster *cluster);
void cluster_report_page(struct text *page, const struct cluster *cluster);

#endif
