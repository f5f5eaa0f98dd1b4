/* report_waits.h - the longest waits of ranks for each other in the reports */
#ifndef PARSERS_CLUSTER_REPORT_WAITS_H
#define PARSERS_CLUSTER_REPORT_WAITS_H

#include "lib/base/json_write.h"
#include "lib/base/text.h"
#include "parsers/cluster/cluster.h"
#include "parsers/cluster/report_links.h"

/* Passes a sentence about the longest wait. */
void report_waits_say(const struct cluster *cluster, sentence_fn *fn, void *arg);
/* Writes an array. */
void report_waits_json(struct json_write *json, const struct cluster *cluster);
/* Adds a table with a heading, or nothing when no rank waited. */
void report_waits_table(struct text *page, const struct cluster *cluster);

#endif
