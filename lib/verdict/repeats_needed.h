/* repeats_needed.h - how many more repeats would decide an inconclusive comparison */
#ifndef LIB_VERDICT_REPEATS_NEEDED_H
#define LIB_VERDICT_REPEATS_NEEDED_H

#include <stddef.h>

struct shift;

struct repeats_needed {
    /* The fewest further repeats, on the side with fewer; 0: see `tolerance`. */
    size_t more;
    /* When more is 0 and this is above 0: `repeats` on each side decide nothing, but
     * they would do for a margin of `tolerance` (a natural logarithm). Both are 0 when
     * there is no estimate. */
    size_t repeats;
    double tolerance;
};

/* Estimates the repeats from the spread of the present ones; `delta` is the margin, a
 * natural logarithm. The estimate holds in four of five cases with normal noise. */
struct repeats_needed repeats_needed(const struct shift *shift, double delta);

#endif
