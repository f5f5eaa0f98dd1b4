/* trace_writer.h - a timeline written as Chrome trace events, slice by slice
 *
 * Nothing is kept but which lanes have been named: any number of slices go through.
 * The texts of an event stand before its "ph" and the head before the list of events,
 * because the viewer cuts the text there without reading it as a whole. Times are
 * nanoseconds from the origin of the trace; what lies before it is refused. */
#ifndef PARSERS_TIMELINE_TRACE_WRITER_H
#define PARSERS_TIMELINE_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/json_write.h"

struct trace_writer_lane {
    const char *pid, *tid;
    int sort; /* place among the lanes of its pid; below 0: by name */
};

struct trace_writer_slice {
    const char *pid, *tid, *name;
    unsigned colour;         /* 0 to 11 */
    const char *colour_name; /* NULL: that of the number */
    const char *group;       /* slices of a group stand on one row; NULL: of none */
    uint64_t start_ns, end_ns;
    /* Writes members of the slice's "args"; NULL: it has none. */
    void (*args)(struct json_write *json, const void *record);
    const void *record;
};

struct trace_writer {
    struct json_write *json;
    uint64_t events;
    uint64_t first_ns; /* the smallest start of a slice so far, if there is any event */
    uint64_t shortest_ns; /* shorter slices are left out */
    uint64_t left_out;
};

/* Head and start of the list; `json` is yours and stays open. */
void trace_writer_open(struct trace_writer *trace,
                       struct json_write *json,
                       bool sorts_lanes);
/* The same in two steps: between them members of the head may be written, whose names
 * stand in the alphabet between displayTimeUnit and profilingType, and no list. */
void trace_writer_open_head(struct trace_writer *trace, struct json_write *json);
void trace_writer_open_list(struct trace_writer *trace, bool sorts_lanes);
void trace_writer_lane(struct trace_writer *trace,
                       const struct trace_writer_lane *lane);
/* A label and a place for a pid. */
void trace_writer_process(struct trace_writer *trace,
                          const char *pid,
                          const char *label,
                          int sort);
void trace_writer_slice(struct trace_writer *trace,
                        const struct trace_writer_slice *slice);
void trace_writer_close(struct trace_writer *trace);

/* One of the names that the viewer turns into twelve different colours. */
const char *trace_writer_colour(unsigned colour);

#endif
