/* cell.h - compares a family of cells: one metric of each point on each card
 *
 * The cells of one metric in one comparison are a family. Their probabilities are
 * adjusted together, so that of all regressions reported at most 5 % are false. */
#ifndef LIB_VERDICT_CELL_H
#define LIB_VERDICT_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/verdict/night_noise.h"
#include "lib/verdict/shift.h"
#include "lib/verdict/verdict.h"

struct cell {
    /* Input: one value per repeat, borrowed. */
    const double *base, *fresh;
    size_t base_count, fresh_count;
    double tolerance; /* share: 0.02 */
    double tick;      /* resolution of the metric, in its unit; 0: none */
    struct night_noise nights;
    bool alternating;        /* the repeats of both sides alternated: no night noise */
    bool measured_otherwise; /* simulated against measured, or another method */

    /* Result. */
    struct shift shift;
    double delta; /* margin that was applied, a natural logarithm */
    double p_worse_adjusted, p_better_adjusted; /* NaN: not in the family */
    struct verdict verdict;
};

/* Judges all cells of a family. */
void family_judge(struct cell *const *cells,
                  size_t count,
                  bool more_is_better,
                  const struct verdict_limits *limits);
/* As family_judge() for cells that lie one behind the other. */
void cells_judge(struct cell *cells,
                 size_t count,
                 bool more_is_better,
                 const struct verdict_limits *limits);

#endif
