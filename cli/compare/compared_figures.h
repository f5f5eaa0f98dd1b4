/* compared_figures.h - the figures of a job that comparisons and trends read
 *
 * Most are stored with a launch. The overlap of a fused operator is computed here from
 * four tasks: its figures belong to the kernel `operator` and to no card. */
#ifndef CLI_COMPARE_COMPARED_FIGURES_H
#define CLI_COMPARE_COMPARED_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/compare/figure.h"

struct row_source;

typedef void compared_figure_fn(const struct comparison_figure *figure, void *arg);

/* Calls fn for each figure whose metric matches one of the patterns. */
int compared_figures_each(struct row_source *source,
                          uint64_t job_id,
                          const char *metrics,
                          compared_figure_fn *fn,
                          void *arg,
                          struct err *err);

/* Returns true when the card of the figure matches the pattern: by HOST, HOST:CARD or
 * serial number. "*" matches figures of no card too. */
bool compared_figure_has_card(const struct comparison_figure *figure,
                              const char *pattern);

#endif
