/* visualize_file.h - visualize_data.bin of one launch */
#ifndef PARSERS_VISUALIZE_VISUALIZE_FILE_H
#define PARSERS_VISUALIZE_VISUALIZE_FILE_H

#include "lib/base/text.h"
#include "parsers/container/bin.h"
#include "parsers/findings/findings.h"

/* Writes the blocks of all requested metrics and of all other data of the launch. The
 * first block is the timeline, if there is one. */
void visualize_file_write(const struct findings *findings, struct text *out);
/* Returns the blocks that depend on the requested metrics, one per index: sets *type,
 * and *metrics to the metrics (enum metric_bits) of which one is needed, or to 0 for a
 * block that is always written. Returns false behind the last block. */
bool visualize_file_block(size_t index, enum bin_type *type, unsigned *metrics);

#endif
