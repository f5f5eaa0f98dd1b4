/* report_links.h - the links between ranks in the reports */
#ifndef PARSERS_CLUSTER_REPORT_LINKS_H
#define PARSERS_CLUSTER_REPORT_LINKS_H

#include "lib/base/json_write.h"
#include "lib/base/text.h"
#include "parsers/cluster/cluster.h"

/* Gets a finding without the full stop at its end. */
typedef void sentence_fn(void *arg, const char *sentence);

void report_links_say(const struct cluster *cluster, sentence_fn *fn, void *arg);
/* Writes an array. */
void report_links_json(struct json_write *json, const struct cluster *cluster);
/* Writes an array: how much of the bandwidth of its chip the rank uses. */
void report_links_use_json(struct json_write *json, const struct cluster_rank *rank);
/* Draws the bandwidth from each rank to each other one. */
void report_links_draw(struct text *page, const struct cluster *cluster);

#endif
