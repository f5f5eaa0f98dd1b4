/* trace_index.h - index of the events of a Chrome trace of one operator
 *
 * The index stores times, rows and numbers of texts, and where the arguments of each
 * slice are in the file; it does not store the arguments. So it is smaller than the
 * trace, and any window of a lane is read from it without a pass over all slices.
 *
 * Order of calls: trace_index_create(); for each part of the trace
 * trace_index_open_part() and trace_index_read() until *more is false; then
 * trace_index_finish(). The other functions need a finished index.
 *
 * Times are nanoseconds after `start_ns`. A slice belongs to the lane of its process
 * and thread. Slices that overlap are in different rows of their lane, row 0 first;
 * slices of one group share a row. */
#ifndef PARSERS_TRACE_INDEX_TRACE_INDEX_H
#define PARSERS_TRACE_INDEX_TRACE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_read.h"
#include "lib/base/names.h"

enum { TRACE_NONE = UINT32_MAX };

struct trace_slice {
    int64_t start_ns;
    uint64_t duration_ns;
    uint64_t args_at;     /* place of the arguments in the file */
    uint32_t args_size;   /* 0: the slice has no arguments */
    uint32_t name, color; /* numbers of texts; the color is the member cname */
    uint32_t flag;        /* number of the id of a SET or WAIT slice, otherwise 0 */
    uint32_t row;
    uint32_t id; /* from 1, in the order of the trace */
};

struct trace_lane {
    uint32_t process; /* index of its process */
    uint32_t tid, name;
    int64_t order;
    size_t first, count; /* of its slices, which are sorted by row, then by start */
    uint32_t rows;
    const size_t *row_first; /* rows + 1 indices of slices */
};

/* Stretches of time in which a process has a slice: gaps below gap_ns are closed. */
struct trace_level {
    uint64_t gap_ns;
    struct trace_stretch {
        int64_t start_ns, end_ns;
    } * stretches;
    size_t count;
};

enum { TRACE_LEVELS = 24 };

struct trace_process {
    uint32_t pid, name, label;
    int64_t order;
    uint32_t *lanes; /* in the order of display */
    size_t lane_count;
    uint32_t *counters;
    size_t counter_count;
    struct trace_level levels[TRACE_LEVELS];
    size_t level_count;
};

struct trace_sample {
    int64_t at_ns;
    uint32_t args; /* number of the text of the JSON object */
};

struct trace_counter {
    uint32_t process, name;
    struct trace_sample *samples; /* in the order of time */
    size_t count, room;
};

/* One end of an arrow. */
struct trace_point {
    int64_t at_ns;
    uint32_t lane, id, category, name;
    bool is_end;
};

struct trace_index {
    struct names *names;
    /* Number k of these texts is the process, lane or counter k - 1. */
    struct names *process_keys, *lane_keys, *counter_keys;
    int64_t start_ns; /* of the first event; 0 without events */
    uint64_t length_ns;
    struct trace_slice *slices; /* sorted by lane */
    size_t slice_count;
    uint32_t *place_of_id; /* index of the slice with id i + 1 */
    struct trace_lane *lanes;
    size_t lane_count;
    struct trace_process *processes;
    size_t process_count;
    uint32_t *process_order; /* indices in the order of display */
    struct trace_counter *counters;
    size_t counter_count;
    struct trace_point *points; /* sorted by id, then by time */
    size_t point_count;
    uint64_t dropped;          /* events without a process, thread, name or time */
    struct trace_build *build; /* NULL after trace_index_finish() */
    size_t *row_firsts;
    uint32_t *
        *longest[2]; /* per level: longest slice of 32^level slices; [1]: no flags */
    size_t longest_levels;
};

/* Reads `size` bytes at `at` of the trace's file. Returns 0, or -1 with err. */
typedef int
trace_bytes_fn(void *arg, uint64_t at, void *bytes, size_t size, struct err *err);

struct trace_index *trace_index_create(trace_bytes_fn *fn, void *arg);
void trace_index_destroy(struct trace_index *index); /* NULL is allowed */
/* Starts a part, a JSON object with `traceEvents`; it has `size` bytes from `at` in the
 * file. The size decides for how many slices memory is reserved. */
void trace_index_open_part(struct trace_index *index, uint64_t at, uint64_t size);
/* Reads up to `max_events`. *more is false at the end of the part. */
int trace_index_read(struct trace_index *index,
                     struct json_read *read,
                     size_t max_events,
                     bool *more,
                     struct err *err);
void trace_index_finish(struct trace_index *index);
size_t trace_index_bytes(const struct trace_index *index); /* memory in use, about */

/* Returns the index of a lane or counter, or TRACE_NONE. */
uint32_t trace_find_process(const struct trace_index *index, const char *pid);
uint32_t
trace_find_lane(const struct trace_index *index, const char *pid, const char *tid);
uint32_t
trace_find_counter(const struct trace_index *index, const char *pid, const char *name);
/* Returns the slice with this id, or NULL. */
const struct trace_slice *trace_find_slice(const struct trace_index *index,
                                           uint64_t id);
/* Returns the lane of a slice of the index. */
uint32_t trace_slice_lane(const struct trace_index *index,
                          const struct trace_slice *slice);
static inline int64_t trace_slice_end(const struct trace_slice *slice)
{
    return slice->start_ns + (int64_t)slice->duration_ns;
}
/* Returns the duration minus the time that slices one row below cover; *has_children is
 * false when there are none. */
uint64_t trace_self_time(const struct trace_index *index,
                         const struct trace_slice *slice,
                         bool *has_children);
/* Finds the slices of a row that overlap [start, end], both inclusive: [*from, *to). */
void trace_row_window(const struct trace_index *index,
                      const struct trace_lane *lane,
                      uint32_t row,
                      int64_t start_ns,
                      int64_t end_ns,
                      size_t *from,
                      size_t *to);

typedef void trace_slice_fn(void *arg, const struct trace_slice *slice);

/* Calls fn, in the order of time, for the slices of a row in a window. A window of 1000
 * ns or more is cut into 1000 equal parts, and only the longest slice that begins in
 * each part is reported; a slice that begins before the window belongs to the first
 * part. */
void trace_each_in_row(const struct trace_index *index,
                       const struct trace_lane *lane,
                       uint32_t row,
                       int64_t start_ns,
                       int64_t end_ns,
                       bool without_flags,
                       trace_slice_fn *fn,
                       void *arg);

typedef void trace_stretch_fn(void *arg, int64_t start_ns, int64_t end_ns);

/* Calls fn for the stretches of time in which the process has slices, cut to the
 * window. Neighbours closer than 1/30000 of the window are joined; so a stretch may
 * begin or end that much too early or too late at the borders of the window. */
void trace_each_stretch(const struct trace_process *process,
                        int64_t start_ns,
                        int64_t end_ns,
                        trace_stretch_fn *fn,
                        void *arg);

#endif
