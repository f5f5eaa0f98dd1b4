/* sweep.h - the points of a sweep, from its axes, excludes and includes
 *
 * A combination is a number in a mixed radix with one digit per axis; the digit of the
 * first axis is the most significant. The points are the combinations that no exclude
 * matches, followed by the included points. The k-th included point has the digit
 * length + k on every axis, because its values follow those of the axis. */
#ifndef LIB_JOB_SWEEP_SWEEP_H
#define LIB_JOB_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/job/sweep/expression.h"
#include "lib/job/sweep/variable.h"

struct sweep {
    const size_t *lengths; /* number of values of each axis */
    size_t axis_count;
    struct variables variables;
    const struct expression **excludes;
    size_t exclude_count;
    bool *excludes_used; /* each: it matches a combination that none before it matches;
                            after sweep_count() */
    uint64_t combinations; /* product of the lengths */
    size_t include_count;
    uint64_t crossed; /* combinations that are points, after sweep_count() */
    uint64_t points;  /* crossed + include_count */
    uint64_t
        *marks; /* combination of every MARK_EVERY-th point; speeds up sweep_find() */
};

/* Computes `combinations`. Returns false when the product exceeds `limit`. */
bool sweep_multiply(struct sweep *sweep, uint64_t limit);
/* Visits all combinations once; sets `crossed`, `points`, `marks` and `excludes_used`.
 */
void sweep_count(struct sweep *sweep);
void sweep_clear(struct sweep *sweep);

/* Sets the digits of the point `index`, given those of index - 1; all 0 for index 0. */
void sweep_next(const struct sweep *sweep, uint64_t index, size_t *digits);
bool sweep_is_excluded(const struct sweep *sweep, const size_t *digits);
/* The digits of the index-th point; index < points. */
void sweep_find(const struct sweep *sweep, uint64_t index, size_t *digits);

#endif
