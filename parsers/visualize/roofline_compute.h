/* roofline_compute.h - what an operator computed, and what its card could have */
#ifndef PARSERS_VISUALIZE_ROOFLINE_COMPUTE_H
#define PARSERS_VISUALIZE_ROOFLINE_COMPUTE_H

#include "parsers/metrics/measure.h"

struct roofline_compute {
    double operations;
    double roof; /* Tops/s */
    char name[320];
};

/* By enum core_kind. The clock is the rated one and not the current: a roof is what the
 * card could do. */
void roofline_compute(const struct measure *measure, struct roofline_compute out[2]);
/* Of all rows of a kind; what was not counted is 0. */
double
roofline_total(const struct measure *measure, enum core_kind kind, const char *terms);

#endif
