/* pipe_slices.h - slices of the pipes and warps of a 950 */
#ifndef PARSERS_TIMELINE_PIPE_SLICES_H
#define PARSERS_TIMELINE_PIPE_SLICES_H

#include "parsers/timeline/slice.h"

/* Both count their times in AI Core cycles, not in device ticks. */
void pipe_slices_add(struct trace_writer *trace,
                     const struct findings *findings,
                     const struct timeline_view *view);
void warp_slices_add(struct trace_writer *trace,
                     const struct findings *findings,
                     const struct timeline_view *view);

#endif
