/* timeline.h - the Chrome trace of one launch: blocks, stamps, AI CPU, communication
 *
 * In a trace of a single launch the launch starts at 0. In a trace of several launches
 * the times are converted to a common clock, and a label precedes each track. */
#ifndef PARSERS_TIMELINE_TIMELINE_H
#define PARSERS_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/findings/findings.h"
#include "parsers/timeline/slice.h"
#include "parsers/timeline/trace_writer.h"

/* Returns true when the launch has data with times, not only counters. */
bool timeline_has_data(const struct findings *findings);
/* Returns the first tick of the launch: of its blocks, its AI Core task or its AI CPU
 * task. */
uint64_t timeline_origin(const struct findings *findings);
/* Writes all slices and tracks of the launch. */
void timeline_add(struct trace_writer *trace,
                  const struct findings *findings,
                  const struct timeline_view *view);

struct timeline_cut {
    uint64_t left_out;    /* slices */
    uint64_t shortest_ns; /* shorter slices were left out */
};
enum { TIMELINE_BYTES_MAX = 400 << 20 }; /* the viewer recommends files below 500 MB */
/* Writes a document with this launch only. If it would exceed `most` bytes, the
 * shortest slices are left out and counted, and the document names the limit. */
void timeline_write(const struct findings *findings,
                    size_t most,
                    struct text *out,
                    struct timeline_cut *cut);

#endif
