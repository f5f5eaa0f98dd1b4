/* metrics.h - state of the coordinator and its cards as OpenMetrics text
 *
 * Gauges are counted at each call; totals rise during the life of the process. No
 * metric names a job, a user or a host: readers of metrics may not be permitted to see
 * them, and the number of time series stays small. */
#ifndef COORDINATOR_MONITOR_METRICS_H
#define COORDINATOR_MONITOR_METRICS_H

#include <stdint.h>

#include "lib/base/text.h"

struct ledger;
struct parse_queue;
struct workers;

struct metrics {
    const struct ledger *ledger;
    const struct workers *workers;
    const struct parse_queue *parses;
    uint64_t commits;
};

void metrics_write(const struct metrics *metrics, struct text *out);

#endif
