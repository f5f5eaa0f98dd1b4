/* token_slices.h - the tokens that a launch brought to the experts of its rank */
#ifndef PARSERS_TIMELINE_TOKEN_SLICES_H
#define PARSERS_TIMELINE_TOKEN_SLICES_H

#include "parsers/timeline/slice.h"

/* Adds a slice as long as the launch, on a track of its own. Its arguments are the rows
 * of each expert, the bytes from each rank, and the imbalance. Adds nothing for a
 * launch that brings no tokens. */
void token_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view);

#endif
