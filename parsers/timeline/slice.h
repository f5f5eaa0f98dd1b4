/* slice.h - writes slices whose times are device ticks */
#ifndef PARSERS_TIMELINE_SLICE_H
#define PARSERS_TIMELINE_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/findings/findings.h"
#include "parsers/timeline/trace_writer.h"

/* Converts device ticks to times of the trace. */
struct timeline_clock {
    uint64_t origin_ticks; /* earlier ticks belong to another launch */
    uint64_t origin_ns;    /* time of origin_ticks in the trace */
    uint32_t ticks_khz;
};

struct rank_flows;

/* How one launch appears in a trace. */
struct timeline_view {
    struct timeline_clock clock;
    const char *label;        /* put in front of each pid; "" for a single launch */
    uint32_t place;           /* position among the labelled launches */
    struct rank_flows *flows; /* collects the notifications between ranks; or NULL */
};

enum { SLICE_NAME_BYTES = 144 }; /* a label may have a host name of 64 bytes */

/* Where the "args" of a slice go. Viewers of the vendor read texts; in a merged
 * timeline numbers are numbers. */
struct slice_args {
    struct json_write *json;
    bool numbers_as_text;
};

struct slice {
    const char *pid, *tid, *name;
    unsigned colour;
    uint64_t start_ticks, end_ticks;
    void (*args)(struct slice_args *out, const void *record);
    const void *record;
};

/* Returns the time of the trace at `ticks`, which are not before the origin. */
uint64_t slice_ns(const struct timeline_view *view, uint64_t ticks);
/* Returns the pid with the label of the view, in `out` if there is a label. */
const char *slice_label(const struct timeline_view *view,
                        const char *pid,
                        char out[SLICE_NAME_BYTES]);

/* Writes the slice, unless it is empty or begins before the origin. */
void slice_add(struct trace_writer *trace,
               const struct timeline_view *view,
               const struct slice *slice);
/* Writes the slice even when it is empty: it marks a moment. */
void slice_add_instant(struct trace_writer *trace,
                       const struct timeline_view *view,
                       const struct slice *slice);
/* Names a track. */
void slice_add_track(struct trace_writer *trace,
                     const struct timeline_view *view,
                     const char *pid,
                     const char *tid,
                     int sort);

enum slice_process {
    SLICE_AI_CORE,
    SLICE_AI_CPU,
    SLICE_HCCL,
    SLICE_HCCL_TASK,
    SLICE_BLOCK
};
const char *slice_pid(enum slice_process process);
/* Names a pid of a labelled view and sorts it behind those of the views before it. */
void slice_process(struct trace_writer *trace,
                   const struct timeline_view *view,
                   enum slice_process process);

/* Write a member of "args". A number that a double cannot hold is always a text. */
void slice_arg_u64(struct slice_args *out, const char *key, uint64_t value);
void slice_arg_hex(struct slice_args *out, const char *key, uint64_t value); /* text */
/* Writes "pc_addr" with at least eight digits, as the vendor's tool does. */
void slice_arg_pc(struct slice_args *out, uint64_t pc);
/* Writes six decimals; an empty text, or null, for an infinite value or NaN. */
void slice_arg_fixed(struct slice_args *out, const char *key, double value);
void slice_arg_text(struct slice_args *out, const char *key, const char *value);
/* Writes the source lines at an address of the kernel as "code". Writes nothing when no
 * line is known. */
void slice_arg_code(struct slice_args *out,
                    const struct findings *findings,
                    uint64_t address);

/* Returns the user's name of a mark, or NULL when it has none. Fused operators always
 * show the numbers. */
const char *slice_mark_name(const struct findings *findings, uint32_t id);
/* Returns true when the names of marks request that block slices are hidden. */
bool slice_hides_blocks(const struct findings *findings);

#endif
