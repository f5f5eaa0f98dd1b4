/* key_figures.h - the figures of a launch that the store keeps and reports compare */
#ifndef PARSERS_FINDINGS_KEY_FIGURES_H
#define PARSERS_FINDINGS_KEY_FIGURES_H

#include <stddef.h>

#include "parsers/findings/figure_fn.h"
#include "parsers/findings/findings.h"

enum aggregation { FIGURE_MEAN, FIGURE_MAX, FIGURE_SUM };

struct key_figure {
    const char *metric;
    const char *column; /* of the metric tables; NULL: from `read` */
    enum aggregation aggregation;
    const char *unit;
    /* Sets *out and returns true when the launch has the figure. */
    bool (*read)(const struct findings *findings, double *out);
    const char *meaning; /* of a figure without a column */
};

/* All figures, in the order in which they are reported. */
const struct key_figure *key_figures(size_t *count);

/* Calls fn for each measured figure: duration_us first, then in a fixed order. */
void key_figures_each(const struct findings *findings, figure_fn *fn, void *arg);

#endif
