/* metric_direction.h - whether more of a metric is better, and how fine it is measured
 */
#ifndef LIB_COMPARE_METRIC_DIRECTION_H
#define LIB_COMPARE_METRIC_DIRECTION_H

#include <stdbool.h>

/* Rates, hit rates and shares of useful work are better when they grow; durations,
 * cycles, waits and conflicts when they shrink. */
bool metric_more_is_better(const char *metric);

/* Returns the resolution of the metric in its unit; 0: it is not limited. Durations are
 * counted in steps of the card's clock; tick_ns 0: the clock is unknown. */
double metric_tick(const char *metric, const char *unit, double tick_ns);

#endif
