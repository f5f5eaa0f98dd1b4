/* figure_fn.h - the receiver of the figures of a launch */
#ifndef PARSERS_FINDINGS_FIGURE_FN_H
#define PARSERS_FINDINGS_FIGURE_FN_H

/* Receives one figure; `value` is finite. */
typedef void figure_fn(const char *metric, double value, const char *unit, void *arg);

#endif
