/* trace_writer.h - writes a timeline as Chrome trace events, one slice at a time
 *
 * The writer stores no slices, so a trace may have any length. The texts of an event
 * precede its "ph", and the head precedes the list of events, because the viewer cuts
 * the text there without parsing it. Times count from the origin of the trace, in
 * nanoseconds or, after trace_writer_use_ps(), in picoseconds. A slice before the
 * origin (a negative time, seen as unsigned) is dropped. */
#ifndef PARSERS_TIMELINE_TRACE_WRITER_H
#define PARSERS_TIMELINE_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/json_write.h"

struct trace_writer_track {
    const char *pid, *tid;
    int sort; /* position among the tracks of the pid; below 0: by name */
};

struct trace_writer_slice {
    const char *pid, *tid, *name;
    unsigned colour;         /* modulo 12, see trace_writer_colour() */
    const char *colour_name; /* NULL: the colour of the number */
    const char *group;       /* slices of a group share a row; NULL: no group */
    uint64_t start, end;     /* in the unit of the trace */
    /* Writes the members of "args" from `record`; NULL: the slice has no "args". */
    void (*args)(struct json_write *json, const void *record);
    const void *record;
};

/* An arrow from the end of a slice to the start of another one. */
struct trace_writer_flow {
    const char *name;
    uint64_t number; /* different for each arrow of the trace */
    const char *from_pid, *from_tid, *to_pid, *to_tid;
    uint64_t from, to; /* in the unit of the trace, within the slices */
};

struct trace_writer {
    struct json_write *json;
    uint64_t events;
    uint64_t first;    /* smallest start of a slice so far; valid if events > 0 */
    uint64_t shortest; /* shorter slices are left out */
    uint64_t left_out; /* slices */
    unsigned decimals; /* of a time in microseconds: 3 or 6 */
};

/* Writes the head and opens the list of events. The caller finishes `json`. */
void trace_writer_open(struct trace_writer *trace,
                       struct json_write *json,
                       bool sorts_tracks);
/* Do the same in two steps. Between them the caller may write further members of the
 * head. Their names must sort between displayTimeUnit and profilingType, and they must
 * not contain a list: the viewer takes the first list for the events. */
void trace_writer_open_head(struct trace_writer *trace, struct json_write *json);
void trace_writer_open_list(struct trace_writer *trace, bool sorts_tracks);
/* Selects picoseconds: a cycle of a core is shorter than a nanosecond. */
void trace_writer_use_ps(struct trace_writer *trace);
void trace_writer_track(struct trace_writer *trace,
                        const struct trace_writer_track *track);
/* Writes the label and the position of a pid. */
void trace_writer_process(struct trace_writer *trace,
                          const char *pid,
                          const char *label,
                          int sort);
void trace_writer_slice(struct trace_writer *trace,
                        const struct trace_writer_slice *slice);
void trace_writer_flow(struct trace_writer *trace,
                       const struct trace_writer_flow *flow);
void trace_writer_close(struct trace_writer *trace);

/* Returns one of twelve names that the viewer shows in different colours. */
const char *trace_writer_colour(unsigned colour);

#endif
