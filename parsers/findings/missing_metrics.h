/* missing_metrics.h - reports metrics that were requested and not measured */
#ifndef PARSERS_FINDINGS_MISSING_METRICS_H
#define PARSERS_FINDINGS_MISSING_METRICS_H

struct findings;

/* Adds an error to the notes for each metric of the launch that needs an instrumented
 * kernel and has no data. */
void missing_metrics_note(struct findings *findings);

#endif
