/* answers_timeline.c - the bars of a lane, their summary, their list and their details
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_selection.h"
#include "parsers/viewer/view_slice.h"

enum { ROWS_SHOWN = 2500 }; /* of a request: the pages draw no more */

/* Writes the bars of a lane, row by row. */
struct bars {
    struct json_write *json;
    const struct trace_index *index;
    const char *thread;
    uint32_t first_row; /* rows of the lanes above */
    uint8_t *done;      /* per lane: 1 when its rows are written */
};

static void put_bar(void *arg, const struct trace_slice *slice)
{
    const struct bars *bars = arg;
    struct json_write *json = bars->json;

    json_write_object(json);
    put_text(json, "name", names_text(bars->index->names, slice->name));
    put_number(json, "duration", (int64_t)slice->duration_ns);
    put_number(json, "startTime", slice->start_ns);
    put_number(json, "endTime", trace_slice_end(slice));
    put_number(json, "depth", bars->first_row + slice->row);
    put_text(json, "threadId", bars->thread);
    put_text(json, "cname", names_text(bars->index->names, slice->color));
    put_slice_id(json, slice);
    json_write_object_end(json);
}

static void put_lane(struct view_call *call,
                     struct bars *bars,
                     const char *pid,
                     const char *tid,
                     int64_t start_ns,
                     int64_t end_ns,
                     bool hide_flags)
{
    uint32_t found = trace_find_lane(bars->index, pid, tid);
    const struct trace_lane *lane;

    if (found == TRACE_NONE || bars->done[found])
        return;
    bars->done[found] = 1;
    lane = &bars->index->lanes[found];
    bars->thread = tid;
    for (uint32_t row = 0; row < lane->rows && bars->first_row + row < ROWS_SHOWN;
         row++) {
        json_write_array(call->body);
        trace_each_in_row(bars->index, lane, row, start_ns, end_ns, hide_flags, put_bar,
                          bars);
        json_write_array_end(call->body);
    }
    bars->first_row += lane->rows;
}

int answer_slices(struct view_call *call)
{
    const struct json_node *tids = json_tree_get(call->params, "threadIdList");
    struct bars bars = {.json = call->body};
    int64_t start_ns, end_ns;
    const char *pid, *tid;
    bool hide_flags;

    if (call_index(call, "cardId", &bars.index) < 0 ||
        call_text(call, "processId", &pid) < 0 || call_kind(call) < 0 ||
        call_window(call, &start_ns, &end_ns) < 0 ||
        call_bool(call, "isHideFlagEvents", &hide_flags) < 0)
        return -1;
    if (!json_tree_is(tids, JSON_ARRAY) && call_text(call, "threadId", &tid) < 0)
        return -1;
    bars.done = arena_calloc(call->arena, bars.index->lane_count + 1, 1);
    put_bool(call->body, "havePythonFunction", false);
    put_bool(call->body, "isLoading", false);
    json_write_key(call->body, "data");
    json_write_array(call->body);
    if (!json_tree_is(tids, JSON_ARRAY))
        put_lane(call, &bars, pid, tid, start_ns, end_ns, hide_flags);
    else
        for (const struct json_node *node = tids->first; node; node = node->next)
            put_lane(call, &bars, pid, view_scalar(node), start_ns, end_ns, hide_flags);
    json_write_array_end(call->body);
    put_number(call->body, "maxDepth", bars.first_row);
    put_number(call->body, "currentMaxDepth", bars.first_row);
    return 0;
}

static void put_stretch(void *arg, int64_t start_ns, int64_t end_ns)
{
    struct json_write *json = arg;

    json_write_object(json);
    put_number(json, "startTime", start_ns);
    put_number(json, "duration", end_ns - start_ns);
    json_write_object_end(json);
}

int answer_summary(struct view_call *call)
{
    const struct trace_index *index;
    int64_t start_ns, end_ns;
    const char *pid;

    if (call_index(call, "cardId", &index) < 0 ||
        call_text(call, "processId", &pid) < 0 ||
        call_window(call, &start_ns, &end_ns) < 0)
        return -1;
    uint32_t process = trace_find_process(index, pid);
    json_write_key(call->body, "data");
    json_write_array(call->body);
    if (process != TRACE_NONE)
        trace_each_stretch(&index->processes[process], start_ns, end_ns, put_stretch,
                           call->body);
    json_write_array_end(call->body);
    return 0;
}

/* The slices of one name. */
struct group {
    uint32_t name;
    uint64_t count, total_ns, longest_ns, shortest_ns, self_ns;
    size_t first_lane; /* place in the selection */
    int64_t first_ns;
    uint32_t first_row;
    uint32_t *lanes;
    size_t lane_count;
};

struct groups {
    const struct trace_index *index;
    uint32_t *of_name; /* per number of a text: place + 1, or 0 */
    struct group *groups;
    size_t count;
    size_t place; /* of the lane in the selection */
    uint32_t lane;
};

static struct group *group_of(struct groups *groups, uint32_t name)
{
    if (!groups->of_name[name]) {
        if ((groups->count & (groups->count - 1)) == 0)
            groups->groups =
                xreallocarray(groups->groups, groups->count ? 2 * groups->count : 1,
                              sizeof(*groups->groups));
        groups->groups[groups->count] = (struct group){
            .name = name,
            .shortest_ns = UINT64_MAX,
            .first_lane = SIZE_MAX,
        };
        groups->of_name[name] = (uint32_t)++groups->count;
    }
    return &groups->groups[groups->of_name[name] - 1];
}

static void add_to_group(void *arg, const struct trace_slice *slice)
{
    struct groups *groups = arg;
    struct group *group = group_of(groups, slice->name);
    bool has_children;

    group->count++;
    group->total_ns += slice->duration_ns;
    group->self_ns += trace_self_time(groups->index, slice, &has_children);
    if (slice->duration_ns > group->longest_ns)
        group->longest_ns = slice->duration_ns;
    if (slice->duration_ns < group->shortest_ns)
        group->shortest_ns = slice->duration_ns;
    if (group->first_lane == SIZE_MAX ||
        (group->first_lane == groups->place && slice->start_ns < group->first_ns)) {
        group->first_lane = groups->place;
        group->first_ns = slice->start_ns;
        group->first_row = slice->row;
    }
    if (group->lane_count && group->lanes[group->lane_count - 1] == groups->lane)
        return;
    if ((group->lane_count & (group->lane_count - 1)) == 0)
        group->lanes =
            xreallocarray(group->lanes, group->lane_count ? 2 * group->lane_count : 1,
                          sizeof(*group->lanes));
    group->lanes[group->lane_count++] = groups->lane;
}

static int order_of_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;

    if (a->first_lane != b->first_lane)
        return a->first_lane < b->first_lane ? -1 : 1;
    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    return (a->first_row > b->first_row) - (a->first_row < b->first_row);
}

/* Writes the lanes of a group, by process. */
static void put_lanes(struct json_write *json,
                      const struct trace_index *index,
                      const struct group *g)
{
    uint32_t process = TRACE_NONE;

    json_write_array(json);
    for (size_t i = 0; i < g->lane_count; i++) {
        const struct trace_lane *lane = &index->lanes[g->lanes[i]];

        if (lane->process != process) {
            if (process != TRACE_NONE) {
                json_write_array_end(json);
                json_write_object_end(json);
            }
            process = lane->process;
            json_write_object(json);
            put_text(json, "pid",
                     names_text(index->names, index->processes[process].pid));
            json_write_key(json, "tidList");
            json_write_array(json);
        }
        json_write_text(json, names_text(index->names, lane->tid));
    }
    json_write_array_end(json);
    json_write_object_end(json);
    json_write_array_end(json);
}

static void put_group(struct json_write *json,
                      const struct trace_index *index,
                      const struct group *g)
{
    json_write_object(json);
    put_text(json, "title", names_text(index->names, g->name));
    put_number(json, "wallDuration", (int64_t)g->total_ns);
    put_number(json, "occurrences", (int64_t)g->count);
    put_number(json, "avgWallDuration", (int64_t)(g->total_ns / g->count));
    put_number(json, "maxWallDuration", (int64_t)g->longest_ns);
    put_number(json, "minWallDuration", (int64_t)g->shortest_ns);
    put_number(json, "selfTime", (int64_t)g->self_ns);
    json_write_key(json, "processes");
    put_lanes(json, index, g);
    json_write_key(json, "metaTypeList");
    json_write_array(json);
    json_write_text(json, "");
    json_write_array_end(json);
    json_write_object_end(json);
}

static void put_groups(struct view_call *call, const struct view_selection *selection)
{
    struct groups groups = {.index = selection->index};

    groups.of_name = xcalloc(names_count(groups.index->names), sizeof(uint32_t));
    for (; groups.place < selection->lane_count; groups.place++) {
        groups.lane = selection->lanes[groups.place].lane;
        view_each_slice(selection, &selection->lanes[groups.place], add_to_group,
                        &groups);
    }
    if (groups.count)
        qsort(groups.groups, groups.count, sizeof(struct group), order_of_groups);
    put_bool(call->body, "emptyFlag", groups.count == 0);
    json_write_key(call->body, "data");
    json_write_array(call->body);
    for (size_t i = 0; i < groups.count; i++) {
        put_group(call->body, groups.index, &groups.groups[i]);
        free(groups.groups[i].lanes);
    }
    json_write_array_end(call->body);
    free(groups.groups);
    free(groups.of_name);
}

int answer_slice_list(struct view_call *call)
{
    struct view_selection selection = {0};
    int64_t start_ns, end_ns;
    int result = -1;

    if (call_index(call, "rankId", &selection.index) == 0 &&
        call_window(call, &start_ns, &end_ns) == 0 &&
        view_select_metadata(call, &selection,
                             json_tree_get(call->params, "metadataList"), start_ns,
                             end_ns) == 0) {
        view_select_rows(call, &selection);
        put_groups(call, &selection);
        result = 0;
    }
    view_selection_clear(&selection);
    return result;
}

static int put_args(struct view_call *call,
                    const struct view_file *file,
                    const struct trace_slice *slice)
{
    struct text args = {0};
    struct err err;

    if (slice->args_size &&
        view_file_read(file, slice->args_at, text_reserve(&args, slice->args_size),
                       slice->args_size, &err) < 0) {
        text_clear(&args);
        return call_fail_err(call, VIEW_FILE, &err);
    }
    args.length = slice->args_size;
    json_write_key(call->body, "args");
    json_write_bytes(call->body, text_get(&args), args.length);
    text_clear(&args);
    return 0;
}

int answer_slice_detail(struct view_call *call)
{
    static const char *const empty[] = {
        "cat",          "inputShapes",     "inputDataTypes", "inputFormats",
        "outputShapes", "outputDataTypes", "outputFormats",  "attrInfo"};
    struct json_write *json = call->body;
    const struct trace_index *index;
    const struct trace_slice *slice;
    struct view_file *file;
    bool has_children;

    if (call_slice(call, &file, &index, &slice) < 0)
        return -1;
    put_bool(json, "emptyFlag", false);
    json_write_key(json, "data");
    json_write_object(json);
    uint64_t self_ns = trace_self_time(index, slice, &has_children);
    put_number(json, "selfTime", has_children ? (int64_t)self_ns : 0);
    if (put_args(call, file, slice) < 0)
        return -1;
    put_text(json, "title", names_text(index->names, slice->name));
    json_write_key(json, "rawStartTime");
    json_write_wide_i64(json, index->start_ns + slice->start_ns);
    json_write_key(json, "rawEndTime");
    json_write_wide_i64(json, index->start_ns + trace_slice_end(slice));
    put_number(json, "duration", (int64_t)slice->duration_ns);
    for (size_t i = 0; i < COUNT(empty); i++)
        put_text(json, empty[i], "");
    json_write_object_end(json);
    return 0;
}
