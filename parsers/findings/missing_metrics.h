/* missing_metrics.h - reports metrics that were requested and not measured */
#ifndef PARSERS_FINDINGS_MISSING_METRICS_H
#define PARSERS_FINDINGS_MISSING_METRICS_H

#include <stdbool.h>

struct findings;

/* Adds an error to the notes for each metric of the launch that needs an instrumented
 * kernel and has no data. Communication calls have no kernel: their notes name the
 * metrics that only kernels have, as an error when no launch of the rank is a kernel.
 */
void missing_metrics_note(struct findings *findings, bool rank_has_kernels);

#endif
