/* sweep.h - the axes, what is excluded, and which points remain
 *
 * A combination is a number: the digits of a mixed radix, an axis a digit, the first
 * axis the most significant. Points are the combinations that no exclude names, and
 * behind them those that are included: the k-th of them has the digit length + k on
 * every axis, where its values stand behind those of the axis. */
#ifndef LIB_JOB_SWEEP_SWEEP_H
#define LIB_JOB_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/job/sweep/expression.h"
#include "lib/job/sweep/variable.h"

struct sweep {
    const size_t *lengths; /* an axis each: how many values */
    size_t axis_count;
    struct variables variables;
    const struct expression **excludes;
    size_t exclude_count;
    uint64_t combinations; /* product of the lengths */
    size_t include_count;
    uint64_t crossed; /* combinations that are points, after sweep_count() */
    uint64_t points;  /* and those included */
    uint64_t *marks;  /* the combination of every MARK_EVERY-th point */
};

/* False when the product is more than `limit`. */
bool sweep_multiply(struct sweep *sweep, uint64_t limit);
/* Goes through all combinations once; fills points and marks. */
void sweep_count(struct sweep *sweep);
void sweep_clear(struct sweep *sweep);

/* From point to point: the digits stand on that of index - 1, or on none. */
void sweep_next(const struct sweep *sweep, uint64_t index, size_t *digits);
bool sweep_is_excluded(const struct sweep *sweep, const size_t *digits);
/* The digits of the index-th point; index < points. */
void sweep_find(const struct sweep *sweep, uint64_t index, size_t *digits);

#endif
