/* stamp_slices.h - slices between pairs of stamps that a kernel wrote */
#ifndef PARSERS_TIMELINE_STAMP_SLICES_H
#define PARSERS_TIMELINE_STAMP_SLICES_H

#include "parsers/timeline/slice.h"

void stamp_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view);

#endif
