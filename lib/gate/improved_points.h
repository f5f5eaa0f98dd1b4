/* improved_points.h - points with a better figure than the base
 *
 * A point improved when one of its cells did, or when its cells decide so together. */
#ifndef LIB_GATE_IMPROVED_POINTS_H
#define LIB_GATE_IMPROVED_POINTS_H

#include "lib/compare/comparison.h"

struct improved_point {
    const struct comparison_row *cell; /* the first of its cells that is faster */
    size_t cards;                      /* that are faster; different ones */
    double shift; /* median over these cells, a natural logarithm; negative */
};

/* Returns the improved points, the largest change first; the caller frees the array.
 * `rows` are the cells of the comparison, sorted by suspects_sort(); the result points
 * into them. `metric` has the patterns of the judged metrics. */
struct improved_point *improved_points_find(const struct comparison *comparison,
                                            const struct comparison_row *rows,
                                            size_t row_count,
                                            const char *metric,
                                            size_t *count);

#endif
