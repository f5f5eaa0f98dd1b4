/* communication_slices.h - slices of the AI CPU, of the tasks it queued, and of each
 * stream */
#ifndef PARSERS_TIMELINE_COMMUNICATION_SLICES_H
#define PARSERS_TIMELINE_COMMUNICATION_SLICES_H

#include "parsers/timeline/slice.h"

void communication_slices_add(struct trace_writer *trace,
                              const struct findings *findings,
                              const struct timeline_view *view);

#endif
