/* answers_arrows.c - arrows between slices, and the samples of counters */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_selection.h"
#include "parsers/viewer/view_slice.h"

enum { SAMPLES_SHOWN = 10000, ARROW_PARTS = 1000 };

/* Returns true when exactly two points, a start and an end, have the id of points[at].
 * *next is the first point of the next id. */
static bool is_arrow(const struct trace_index *index, size_t at, size_t *next)
{
    const struct trace_point *points = index->points;

    for (*next = at; *next < index->point_count && points[*next].id == points[at].id;)
        ++*next;
    return *next - at == 2 && !points[at].is_end && points[at + 1].is_end;
}

/* Returns the row of the slice with this flag in the lane, or 0. */
static uint32_t row_of_flag(const struct trace_index *index,
                            const struct trace_point *point)
{
    const struct trace_lane *lane = &index->lanes[point->lane];

    for (uint32_t row = 0; row < lane->rows; row++) {
        size_t from, to;

        trace_row_window(index, lane, row, point->at_ns, point->at_ns, &from, &to);
        for (; from < to; from++)
            if (index->slices[from].flag == point->id)
                return row;
    }
    return 0;
}

static void put_end(struct json_write *json,
                    const struct trace_index *index,
                    const char *key,
                    const struct trace_point *point,
                    bool with_slice)
{
    json_write_key(json, key);
    json_write_object(json);
    put_lane_names(json, index, point->lane);
    put_number(json, "timestamp", point->at_ns);
    put_number(json, "depth", row_of_flag(index, point));
    put_text(json, "rankId", "");
    if (with_slice) {
        put_number(json, "duration", 0);
        put_text(json, "name", "");
        put_text(json, "id", "");
        put_text(json, "metaType", "");
    }
    json_write_object_end(json);
}

/* Returns the first point with this id, or NULL. */
static const struct trace_point *find_points(const struct trace_index *index,
                                             uint32_t id)
{
    size_t low = 0, high = index->point_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (index->points[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->point_count && index->points[low].id == id ? &index->points[low]
                                                                   : NULL;
}

int answer_arrows_of_slice(struct view_call *call)
{
    struct json_write *json = call->body;
    const struct trace_point *point;
    const struct trace_index *index;
    const struct trace_slice *slice;
    struct view_file *file;
    size_t next;

    if (call_slice(call, &file, &index, &slice) < 0)
        return -1;
    point = slice->flag ? find_points(index, slice->flag) : NULL;
    json_write_key(json, "unitAllFlows");
    json_write_array(json);
    if (point && is_arrow(index, (size_t)(point - index->points), &next)) {
        json_write_object(json);
        put_text(json, "cat", names_text(index->names, point->category));
        json_write_key(json, "flows");
        json_write_array(json);
        json_write_object(json);
        put_text(json, "title", names_text(index->names, point->name));
        put_text(json, "cat", names_text(index->names, point->category));
        put_text(json, "id", names_text(index->names, point->id));
        put_end(json, index, "from", &point[0], true);
        put_end(json, index, "to", &point[1], true);
        json_write_object_end(json);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    return 0;
}

int answer_arrow_kinds(struct view_call *call)
{
    const struct trace_index *index;
    uint8_t *seen;

    if (call_index(call, "rankId", &index) < 0)
        return -1;
    seen = arena_calloc(call->arena, names_count(index->names), 1);
    json_write_key(call->body, "category");
    json_write_array(call->body);
    for (size_t i = 0; i < index->point_count; i++) {
        uint32_t category = index->points[i].category;

        if (!seen[category])
            json_write_text(call->body, names_text(index->names, category));
        seen[category] = 1;
    }
    json_write_array_end(call->body);
    return 0;
}

/* An arrow in a window; `part` thins arrows between the same two lanes. */
struct arrow {
    const struct trace_point *from, *to;
    int64_t part;
};

static int order_of_arrows(const void *left, const void *right)
{
    const struct arrow *a = left, *b = right;

    if (a->from->lane != b->from->lane)
        return a->from->lane < b->from->lane ? -1 : 1;
    if (a->to->lane != b->to->lane)
        return a->to->lane < b->to->lane ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static bool is_thinned(const struct arrow *arrows, size_t i)
{
    return i && arrows[i - 1].from->lane == arrows[i].from->lane &&
           arrows[i - 1].to->lane == arrows[i].to->lane &&
           arrows[i - 1].part == arrows[i].part;
}

/* Collects the arrows of a category that overlap the window. */
static size_t find_arrows(const struct trace_index *index,
                          uint32_t category,
                          int64_t start_ns,
                          int64_t end_ns,
                          struct arrow **arrows)
{
    int64_t part_ns = (end_ns - start_ns) / ARROW_PARTS;
    size_t count = 0, room = 0;

    *arrows = NULL;
    for (size_t i = 0, next; i < index->point_count; i = next) {
        const struct trace_point *from = &index->points[i];

        if (!is_arrow(index, i, &next) || from->category != category ||
            from[0].at_ns > end_ns || from[1].at_ns < start_ns)
            continue;
        if (count == room) {
            room = room ? 2 * room : 64;
            *arrows = xreallocarray(*arrows, room, sizeof(**arrows));
        }
        (*arrows)[count++] =
            (struct arrow){from, from + 1, from->at_ns / (part_ns ? part_ns : 1)};
    }
    if (count)
        qsort(*arrows, count, sizeof(**arrows), order_of_arrows);
    return count;
}

int answer_arrows_of_kind(struct view_call *call)
{
    struct json_write *json = call->body;
    const struct trace_index *index;
    int64_t start_ns, end_ns;
    const char *category;
    struct arrow *arrows;
    size_t count;

    if (call_index(call, "rankId", &index) < 0 ||
        call_text(call, "category", &category) < 0 ||
        call_window(call, &start_ns, &end_ns) < 0)
        return -1;
    count = find_arrows(index, names_find(index->names, category), start_ns, end_ns,
                        &arrows);
    json_write_key(json, "flowDetailList");
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        if (is_thinned(arrows, i))
            continue;
        json_write_object(json);
        put_text(json, "category", category);
        put_end(json, index, "from", arrows[i].from, false);
        put_end(json, index, "to", arrows[i].to, false);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    free(arrows);
    return 0;
}

static void put_sample(struct json_write *json,
                       const struct trace_index *index,
                       const struct trace_sample *sample)
{
    const char *args = names_text(index->names, sample->args);

    json_write_object(json);
    put_number(json, "timestamp", sample->at_ns);
    json_write_key(json, "value");
    json_write_raw(json, args, strlen(args));
    json_write_object_end(json);
}

/* Counts the samples of the window that differ from the one before. */
static size_t count_changes(const struct trace_sample *samples, size_t from, size_t to)
{
    size_t count = 0;

    for (size_t i = from; i < to; i++)
        count += i == from || samples[i].args != samples[i - 1].args;
    return count;
}

/* Writes each change, at most SAMPLES_SHOWN of them, and the last sample once more. */
static void put_samples(struct json_write *json,
                        const struct trace_index *index,
                        const struct trace_sample *samples,
                        size_t from,
                        size_t to)
{
    size_t step = count_changes(samples, from, to) / SAMPLES_SHOWN + 1, change = 0;

    for (size_t i = from; i < to; i++)
        if ((i == from || samples[i].args != samples[i - 1].args) &&
            change++ % step == 0)
            put_sample(json, index, &samples[i]);
    if (from < to)
        put_sample(json, index, &samples[to - 1]);
}

int answer_counter(struct view_call *call)
{
    const struct trace_index *index;
    int64_t start_ns, end_ns;
    const char *pid, *name;
    size_t from = 0, to = 0;
    uint32_t counter;

    if (call_index(call, "rankId", &index) < 0 || call_text(call, "pid", &pid) < 0 ||
        call_text(call, "threadName", &name) < 0 ||
        call_window(call, &start_ns, &end_ns) < 0)
        return -1;
    counter = trace_find_counter(index, pid, name);
    json_write_key(call->body, "data");
    json_write_array(call->body);
    if (counter != TRACE_NONE) {
        const struct trace_counter *found = &index->counters[counter];

        while (from < found->count && found->samples[from].at_ns < start_ns)
            from++;
        for (to = from; to < found->count && found->samples[to].at_ns <= end_ns;)
            to++;
        put_samples(call->body, index, found->samples, from, to);
    }
    json_write_array_end(call->body);
    return 0;
}
