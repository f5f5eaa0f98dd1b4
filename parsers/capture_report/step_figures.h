/* step_figures.h - the figures of a group of steps for the store */
#ifndef PARSERS_CAPTURE_REPORT_STEP_FIGURES_H
#define PARSERS_CAPTURE_REPORT_STEP_FIGURES_H

#include <stddef.h>

struct analysis;

struct step_figure {
    const char *metric;
    double value;
    const char *unit;
};

typedef void step_figure_fn(const struct step_figure *figure, void *arg);
/* Calls fn with each figure of the group; those of tags only when a step has the tag.
 */
void step_figures_each(const struct analysis *analysis,
                       size_t group,
                       step_figure_fn *fn,
                       void *arg);

/* A metric with its meaning, for the documents. */
struct step_metric {
    const char *metric, *unit, *meaning;
};

/* Returns NULL after the last metric. */
const struct step_metric *step_metric_at(size_t index);

/* Metrics that count the steps with a tag begin with this word, then the tag. */
#define STEP_TAG_PREFIX "tag."

#endif
