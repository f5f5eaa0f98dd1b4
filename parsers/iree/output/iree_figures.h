/* iree_figures.h - the figures of a dump for the store */
#ifndef PARSERS_IREE_OUTPUT_IREE_FIGURES_H
#define PARSERS_IREE_OUTPUT_IREE_FIGURES_H

#include <stddef.h>

#include "parsers/iree/iree_dump.h"

struct iree_figure {
    const char *kernel; /* a function, or an operation such as `copy` */
    size_t
        row; /* number of the site or operation in the dump; equal rows are adjacent */
    const char *metric;
    double value;
    const char *unit;
};

typedef void iree_figure_fn(const struct iree_figure *figure, void *arg);
void iree_figures_each(const struct iree_dump *dump, iree_figure_fn *fn, void *arg);

/* A metric with its meaning, for the documents. */
struct iree_metric {
    const char *metric, *unit, *meaning;
};

/* Returns NULL after the last metric. */
const struct iree_metric *iree_metric_at(size_t index);

#endif
