/* timeline.h - what ran when in one launch: blocks and their stamps, the AI CPU's
 * turns, the tasks of the communication
 *
 * Alone, a launch starts at 0. Beside others its times are moved onto a common clock
 * and its lanes get a label in front. */
#ifndef PARSERS_TIMELINE_TIMELINE_H
#define PARSERS_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/findings/findings.h"
#include "parsers/timeline/trace_writer.h"

/* How device ticks become times of the trace. */
struct timeline_clock {
    uint64_t origin_ticks; /* what is earlier belongs to another launch */
    uint64_t origin_ns;    /* where the origin stands in the trace */
    uint32_t ticks_khz;
};

struct timeline_view {
    struct timeline_clock clock;
    const char *label; /* in front of each pid; "" for a launch alone */
    uint32_t place;    /* among the labelled */
};

/* Is there anything but counters to show? */
bool timeline_is_there(const struct findings *findings);
/* The first tick of the launch: of its blocks, its AI Core task, its AI CPU task. */
uint64_t timeline_origin(const struct findings *findings);
/* All slices and lanes of the launch. */
void timeline_add(struct trace_writer *trace,
                  const struct findings *findings,
                  const struct timeline_view *view);
/* The launch alone, as a document. Where that would be longer than `most` bytes, the
 * shortest slices are left out; they are counted, and the document says so. */
struct timeline_cut {
    uint64_t left_out;
    uint64_t shortest_ns; /* what is left is at least so long */
};
enum { TIMELINE_BYTES_MAX = 400 << 20 }; /* a file above 500 MB is not advised */
void timeline_write(const struct findings *findings,
                    size_t most,
                    struct text *out,
                    struct timeline_cut *cut);

#endif
