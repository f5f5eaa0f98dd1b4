/* trace_parts.h - the answers of the timeline page: the lanes of a trace, the slices of
 * a window, arrows, one slice, a search
 *
 * Lanes are numbered in the order of display. Times are nanoseconds after the first
 * event. Each function appends members to a JSON object that is open. */
#ifndef CLI_TRACES_TRACE_PARTS_H
#define CLI_TRACES_TRACE_PARTS_H

#include "cli/http/http_message.h"
#include "lib/base/json_write.h"
#include "parsers/trace_index/trace_index.h"

struct view_file;

enum {
    TRACE_PARTS_LANES = 200,   /* of a window */
    TRACE_PARTS_ROWS = 40,     /* of a lane */
    TRACE_PARTS_ARROWS = 2000, /* of a window */
    TRACE_PARTS_FOUND = 1000,  /* slices of a search */
};

struct trace_part {
    const struct http_request *request;
    struct view_file *file;
    const struct trace_index *index; /* finished */
    struct json_write *json;
    uint64_t rows; /* set by a search: all slices that it found */
};

typedef int trace_part_fn(struct trace_part *part, struct err *err);

trace_part_fn trace_part_lanes, trace_part_window, trace_part_arrows, trace_part_slice,
    trace_part_search;

/* The rooflines of a visualize_data.bin; this part needs no index. */
trace_part_fn trace_part_rooflines;

#endif
