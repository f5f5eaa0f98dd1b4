/* key_figures.h - the few figures of a launch that are kept in the store and compared
 */
#ifndef PARSERS_FINDINGS_KEY_FIGURES_H
#define PARSERS_FINDINGS_KEY_FIGURES_H

#include "parsers/findings/findings.h"

/* `value` is finite. */
typedef void figure_fn(const char *metric, double value, const char *unit, void *arg);

/* Each figure that was measured: duration_us, then a fixed list; what was not
 * collected does not come at all. */
void key_figures_each(const struct findings *findings, figure_fn *fn, void *arg);

#endif
