/* key_figures.h - the figures of a launch that the store keeps and reports compare */
#ifndef PARSERS_FINDINGS_KEY_FIGURES_H
#define PARSERS_FINDINGS_KEY_FIGURES_H

#include "parsers/findings/findings.h"

/* Receives one figure; `value` is finite. */
typedef void figure_fn(const char *metric, double value, const char *unit, void *arg);

/* Calls fn for each measured figure: duration_us first, then in a fixed order. */
void key_figures_each(const struct findings *findings, figure_fn *fn, void *arg);

#endif
