/* metrics.h - how the coordinator and its cards are, as OpenMetrics text
 *
 * Gauges are counted when they are asked for; totals go up for the life of the process.
 * Nothing in it names a job, a user or a host: whoever may scrape need not be allowed
 * to see them, and the number of series stays small. */
#ifndef COORDINATOR_MONITOR_METRICS_H
#define COORDINATOR_MONITOR_METRICS_H

#include <stdint.h>

#include "lib/base/text.h"

struct sessions;
struct parse_queue;

struct metrics {
    const struct sessions *control; /* its ledger, workers and drains */
    const struct parse_queue *parses;
    uint64_t commits;
};

void metrics_write(const struct metrics *metrics, struct text *out);

#endif
