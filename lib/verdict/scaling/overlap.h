/* overlap.h - how much communication a fused operator hides behind its computation
 *
 * A repeat consists of four runs: the fused operator, its computation alone, its
 * communication alone, and both in sequence. */
#ifndef LIB_VERDICT_SCALING_OVERLAP_H
#define LIB_VERDICT_SCALING_OVERLAP_H

#include <stddef.h>

struct overlap_times { /* in one unit */
    double fused, compute, communication, serial;
};

struct overlap_figure {
    double centre;    /* Hodges-Lehmann estimate over the repeats; NaN: no repeat */
    double low, high; /* exact interval of at least 90 %; NaN: fewer than 5 repeats */
    size_t repeats;   /* with a figure */
};

struct overlap {
    /* E = 1 - (fused - compute) / (serial - compute). Below 0: the fused operator is
     * slower than the sequence. */
    struct overlap_figure efficiency;
    /* (serial - fused) / (serial - max(compute, communication)): 1 is the ceiling, also
     * where the communication takes longer than the computation. */
    struct overlap_figure attained;
};

/* Computes both figures. A repeat with a time that is not positive and finite has none,
 * nor one whose sequence takes no longer than a part: there is nothing to hide. */
struct overlap overlap_of(const struct overlap_times *repeats, size_t count);

#endif
