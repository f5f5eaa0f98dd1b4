/* gap_text.h - texts about a gap that several reports show */
#ifndef PARSERS_ANOMALY_REPORT_GAP_TEXT_H
#define PARSERS_ANOMALY_REPORT_GAP_TEXT_H

#include "lib/base/text.h"
#include "parsers/anomaly/analysis.h"

/* Adds "b50_3": step and number of the gap. */
void gap_text_id(struct text *out,
                 const struct analysis *analysis,
                 const struct gap *gap);
/* Adds the names of the labels, separated by `separator`. */
void gap_text_labels(struct text *out, unsigned labels, const char *separator);
void gap_text_tags(struct text *out, unsigned tags, const char *separator);

/* Adds "layer_3" or "layer_b_0". */
void gap_text_structure(struct text *out, const struct structure *structure);

typedef void
kernel_fn(void *arg, const struct analysis *analysis, const struct kernel *kernel);
/* Calls fn for each kernel directly before the gap, or directly after it. */
void gap_text_each_neighbour(const struct analysis *analysis,
                             const struct gap *gap,
                             bool before,
                             kernel_fn *fn,
                             void *arg);
/* Adds "Name (AI_CORE, 1.440 us, stream 2)" for the first such kernel, or "-". */
void gap_text_neighbour(struct text *out,
                        const struct analysis *analysis,
                        const struct gap *gap,
                        bool before);
/* Returns the name of that kernel, or "". */
const char *gap_text_neighbour_name(const struct analysis *analysis,
                                    const struct gap *gap,
                                    bool before);

#endif
