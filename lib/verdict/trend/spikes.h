/* spikes.h - single nights that differ from both sides of a series */
#ifndef LIB_VERDICT_TREND_SPIKES_H
#define LIB_VERDICT_TREND_SPIKES_H

#include <stdbool.h>
#include <stddef.h>

/* Marks the spikes and writes the series without them. The levels on the left and on
 * the right of a value are the medians of up to 3 neighbours, at least 2. The value is
 * a spike when these levels are at most `distance` apart and the value is further than
 * `distance` beyond both; it is replaced by their mean. Values are finite. Returns the
 * number of spikes. */
size_t spikes_remove(const double *values,
                     size_t count,
                     double distance,
                     bool *is_spike,
                     double *without);

#endif
