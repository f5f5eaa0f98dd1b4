/* view_selection.h - the slices that a request selects: by lane, name, time and row */
#ifndef PARSERS_VIEWER_VIEW_SELECTION_H
#define PARSERS_VIEWER_VIEW_SELECTION_H

#include "parsers/trace_index/trace_index.h"
#include "parsers/viewer/view_call.h"

struct view_selection {
    const struct trace_index *index;
    struct view_lane {
        uint32_t lane;
        int64_t start_ns, end_ns; /* only slices that overlap this window */
    } * lanes;
    size_t lane_count;
    uint8_t *names; /* per number of a text: 1 when selected; NULL: all */
    int64_t first_row, last_row;
};

/* Selects all lanes. */
void view_select_all(struct view_selection *selection, const struct trace_index *index);
/* Adds the lanes of a list of {pid, tid}, each once; other members are left out. */
int view_select_metadata(struct view_call *call,
                         struct view_selection *selection,
                         const struct json_node *list,
                         int64_t start_ns,
                         int64_t end_ns);
void view_select_lane(struct view_selection *selection,
                      uint32_t lane,
                      int64_t start_ns,
                      int64_t end_ns);
/* Reads startDepth and endDepth, which may be missing. */
void view_select_rows(struct view_call *call, struct view_selection *selection);
void view_selection_clear(struct view_selection *selection);

/* Matches a pattern in which % is any text and _ is any character. */
bool view_is_like(const char *text, const char *pattern, bool match_case);

/* Calls fn for each slice of one of the lanes, row by row. */
void view_each_slice(const struct view_selection *selection,
                     const struct view_lane *lane,
                     trace_slice_fn *fn,
                     void *arg);

#endif
