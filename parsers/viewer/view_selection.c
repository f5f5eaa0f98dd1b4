#include "parsers/viewer/view_selection.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/view_file/view_file.h"

void view_select_lane(struct view_selection *selection,
                      uint32_t lane,
                      int64_t start_ns,
                      int64_t end_ns)
{
    size_t count = selection->lane_count;

    if ((count & (count - 1)) == 0) /* full at each power of two */
        selection->lanes = xreallocarray(selection->lanes, count ? 2 * count : 1,
                                         sizeof(*selection->lanes));
    selection->lanes[selection->lane_count++] =
        (struct view_lane){lane, start_ns, end_ns};
}

void view_select_all(struct view_selection *selection, const struct trace_index *index)
{
    for (uint32_t lane = 0; lane < index->lane_count; lane++)
        view_select_lane(selection, lane, INT64_MIN, INT64_MAX);
}

/* Reads the range that the client fixed; 0 and 0 without one. */
static void read_lock(const struct json_node *item, int64_t *start_ns, int64_t *end_ns)
{
    int64_t start = 0, end = 0;

    json_tree_i64(json_tree_get(item, "lockStartTime"), &start);
    json_tree_i64(json_tree_get(item, "lockEndTime"), &end);
    if (end <= 0)
        return;
    *start_ns = start > *start_ns ? start : *start_ns;
    *end_ns = end < *end_ns ? end : *end_ns;
}

int view_select_metadata(struct view_call *call,
                         struct view_selection *selection,
                         const struct json_node *list,
                         int64_t start_ns,
                         int64_t end_ns)
{
    uint8_t *seen = arena_calloc(call->arena, selection->index->lane_count + 1, 1);
    const char *pid, *tid;

    if (!json_tree_is(list, JSON_ARRAY))
        return call_fail(call, VIEW_PARAMETER,
                         "params.metadataList is missing or no list");
    for (const struct json_node *item = list->first; item; item = item->next) {
        int64_t start = start_ns, end = end_ns;

        if (!json_tree_text(json_tree_get(item, "pid"), &pid) ||
            !json_tree_text(json_tree_get(item, "tid"), &tid))
            return call_fail(call, VIEW_PARAMETER,
                             "params.metadataList has an item without pid and tid");
        uint32_t lane = trace_find_lane(selection->index, pid, tid);
        read_lock(item, &start, &end);
        if (lane == TRACE_NONE || seen[lane])
            continue;
        seen[lane] = 1;
        view_select_lane(selection, lane, start, end);
    }
    return 0;
}

/* Reads a number or a text of a number; -1 and "" mean none. */
static bool read_row(struct view_call *call, const char *name, int64_t *row)
{
    return num_parse_i64(view_scalar(json_tree_get(call->params, name)), row) &&
           *row >= 0;
}

void view_select_rows(struct view_call *call, struct view_selection *selection)
{
    if (!read_row(call, "startDepth", &selection->first_row))
        selection->first_row = 0;
    if (!read_row(call, "endDepth", &selection->last_row))
        selection->last_row = INT64_MAX;
}

void view_selection_clear(struct view_selection *selection)
{
    free(selection->lanes);
    free(selection->names);
    *selection = (struct view_selection){0};
}

void view_each_slice(const struct view_selection *selection,
                     const struct view_lane *lane,
                     trace_slice_fn *fn,
                     void *arg)
{
    const struct trace_index *index = selection->index;
    const struct trace_lane *slices = &index->lanes[lane->lane];

    for (int64_t row = selection->first_row;
         row < slices->rows && row <= selection->last_row; row++) {
        size_t from, to;

        trace_row_window(index, slices, (uint32_t)row, lane->start_ns, lane->end_ns,
                         &from, &to);
        for (; from < to; from++)
            if (!selection->names || selection->names[index->slices[from].name])
                fn(arg, &index->slices[from]);
    }
}

static char folded(char c, bool match_case)
{
    return match_case ? c : (char)tolower((unsigned char)c);
}

bool view_is_like(const char *text, const char *pattern, bool match_case)
{
    const char *retry_text = NULL, *retry_pattern = NULL;

    while (*text) {
        if (*pattern == '%') {
            retry_pattern = ++pattern;
            retry_text = text;
        } else if (*pattern && (*pattern == '_' || folded(*text, match_case) ==
                                                       folded(*pattern, match_case))) {
            pattern++;
            text++;
        } else if (retry_pattern) {
            pattern = retry_pattern;
            text = ++retry_text;
        } else {
            return false;
        }
    }
    while (*pattern == '%')
        pattern++;
    return !*pattern;
}
