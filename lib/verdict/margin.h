/* margin.h - how large a shift must be to count, and how small to be none
 *
 * All members are natural logarithms of ratios. */
#ifndef LIB_VERDICT_MARGIN_H
#define LIB_VERDICT_MARGIN_H

#include <stdbool.h>

struct night_noise;

struct margin {
    double delta;  /* the tolerance, and at least two ticks of the clock */
    double change; /* a regression is at least as large: delta and the night noise h */
    double inside; /* the interval of `same` is widened by this: the night noise w */
    bool nights_known;
};

/* Computes the margin. `tolerance` is a share (0.02), `tick` the resolution of the
 * metric and `median` the median of the base, both in the metric's unit. Two ticks,
 * because each side may be off by almost one. A tolerance that is negative or not
 * finite counts as 0, and so does a tick. `nights` may be NULL: there is no night noise
 * between the sides, because their repeats alternated. */
struct margin margin_of(double tolerance,
                        double tick,
                        double median,
                        const struct night_noise *nights);

#endif
