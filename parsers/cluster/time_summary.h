/* time_summary.h - shows the parts of the time of each step of each rank */
#ifndef PARSERS_CLUSTER_TIME_SUMMARY_H
#define PARSERS_CLUSTER_TIME_SUMMARY_H

#include <stddef.h>

#include "lib/base/json_write.h"
#include "lib/base/text.h"
#include "parsers/cluster/cluster.h"

/* Copies the rows, and adds the times in collectives. Call it once. */
void time_summary_set(struct cluster *cluster,
                      const struct rank_times *rows,
                      size_t count);
void time_summary_csv(struct text *out, const struct cluster *cluster);
void time_summary_json(struct json_write *json, const struct cluster *cluster);
void time_summary_table(struct text *page, const struct cluster *cluster);

#endif
