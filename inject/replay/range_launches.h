/* range_launches.h - the launches that one segment of a marked range has captured
 *
 * The counters of a replay have no names. These records name the launches behind them,
 * in their order. */
#ifndef INJECT_REPLAY_RANGE_LAUNCHES_H
#define INJECT_REPLAY_RANGE_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/capture/format/records.h"

struct device;
struct launch;

enum { RANGE_LAUNCHES_MAX = 512 };

struct range_launches {
    uint32_t segment; /* number of the segment in its range, from 1 */
    bool selected;    /* the worker has selected this segment, or an earlier one */
    uint32_t count;
    struct record_range_launch rows[RANGE_LAUNCHES_MAX]; /* only `count` are valid */
};

bool range_launches_is_full(const struct range_launches *launches);
/* Appends a launch. `launches` must not be full. */
void range_launches_add(struct range_launches *launches,
                        const struct launch *launch,
                        const struct device *device,
                        const char *kernel,
                        uint64_t number);
/* Writes the records. `range` is the number of the range's launch record. */
void range_launches_write(const struct range_launches *launches, uint64_t range);

#endif
