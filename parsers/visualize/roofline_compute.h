/* roofline_compute.h - operations of an operator, and the peak rate of its card */
#ifndef PARSERS_VISUALIZE_ROOFLINE_COMPUTE_H
#define PARSERS_VISUALIZE_ROOFLINE_COMPUTE_H

#include "parsers/metrics/measure.h"

/* The operations of cubes, of vectors, and of both together: main memory and L2 serve
 * both, and so do all memories of a 310P. */
enum roofline_side {
    ROOFLINE_CUBE = CORE_AIC,
    ROOFLINE_VECTOR = CORE_AIV,
    ROOFLINE_BOTH,
    ROOFLINE_SIDES
};

struct roofline_compute {
    double operations;
    double roof;    /* peak rate, Tops/s */
    char name[660]; /* types of the operations with their shares */
};

/* Fills an element per enum roofline_side. The roof uses the rated clock, because it is
 * the limit of the card. */
void roofline_compute(const struct measure *measure,
                      struct roofline_compute out[ROOFLINE_SIDES]);
/* Returns the sum over all rows of a core type; missing counters count as 0. */
double
roofline_total(const struct measure *measure, enum core_kind kind, const char *terms);

#endif
