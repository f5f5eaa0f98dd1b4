/* block_slices.h - one slice per block and core */
#ifndef PARSERS_TIMELINE_BLOCK_SLICES_H
#define PARSERS_TIMELINE_BLOCK_SLICES_H

#include "parsers/timeline/slice.h"

/* Position of a block's slice in the trace. */
struct block_span {
    uint64_t start_ticks, end_ticks;
    char tid[SLICE_NAME_BYTES];
};

void block_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view);
/* Finds the block on a core kind by the number that its stamps carry. Returns false
 * when the launch has no such block. */
bool block_slices_find(const struct findings *findings,
                       enum core_kind kind,
                       uint32_t number,
                       struct block_span *out);

#endif
