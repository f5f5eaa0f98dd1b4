/* trace_rows.c - sorts the slices of a trace and finds the row of each
 *
 * The slices of a lane are placed in the order of their start, the longer first, each
 * in the first row that is free. The slices of one group are placed as one. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

/* The ends of the rows of a lane as a tree of minima, so that the first free row is
 * found in a few steps. Node 1 is the root, leaf i is node room + i. */
struct rows {
    int64_t *ends;
    size_t room; /* a power of two */
    uint32_t count;
};

/* The time that a group of slices spans in the current lane. */
struct group {
    uint32_t lane; /* lane + 1 for which the other members are set, or 0 */
    uint32_t row;
    bool is_placed;
    int64_t end_ns;
};

static int order_of_slices(const void *left, const void *right)
{
    const struct trace_new *a = left, *b = right;

    if (a->place.lane != b->place.lane)
        return a->place.lane < b->place.lane ? -1 : 1;
    if (a->slice.start_ns != b->slice.start_ns)
        return a->slice.start_ns < b->slice.start_ns ? -1 : 1;
    if (a->slice.duration_ns != b->slice.duration_ns)
        return a->slice.duration_ns > b->slice.duration_ns ? -1 : 1;
    return a->slice.id < b->slice.id ? -1 : 1;
}

static int order_of_rows(const void *left, const void *right)
{
    const struct trace_slice *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->id < b->id ? -1 : 1;
}

static void set_end(struct rows *rows, uint32_t row, int64_t end_ns)
{
    size_t node = rows->room + row;

    rows->ends[node] = end_ns;
    for (node /= 2; node; node /= 2) {
        int64_t left = rows->ends[2 * node], right = rows->ends[2 * node + 1];

        rows->ends[node] = left < right ? left : right;
    }
}

static void reset_rows(struct rows *rows, size_t room)
{
    rows->room = room;
    rows->ends = xreallocarray(rows->ends, 2 * room, sizeof(*rows->ends));
    for (size_t i = 0; i < 2 * room; i++)
        rows->ends[i] = INT64_MAX;
    rows->count = 0;
}

static void double_rows(struct rows *rows)
{
    uint32_t count = rows->count;
    int64_t *old = xmemdup(rows->ends + rows->room, count * sizeof(*old));

    reset_rows(rows, 2 * rows->room);
    for (uint32_t row = 0; row < count; row++)
        set_end(rows, row, old[row]);
    rows->count = count;
    free(old);
}

/* Places a slice or a group, and returns its row. */
static uint32_t place(struct rows *rows, int64_t start_ns, int64_t end_ns)
{
    size_t node = 1;
    uint32_t row;

    if (rows->ends[1] > start_ns) {
        if (rows->count == rows->room)
            double_rows(rows);
        row = rows->count++;
    } else {
        while (node < rows->room)
            node = rows->ends[2 * node] <= start_ns ? 2 * node : 2 * node + 1;
        row = (uint32_t)(node - rows->room);
    }
    set_end(rows, row, end_ns);
    return row;
}

/* Finds the end of each group of a lane. */
static void measure_groups(struct group *groups,
                           const struct trace_slice *slices,
                           const struct trace_place *places,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct group *group = &groups[places[i].group];
        int64_t end_ns = trace_slice_end(&slices[i]);

        if (group->lane != places[i].lane + 1)
            *group = (struct group){.lane = places[i].lane + 1, .end_ns = end_ns};
        else if (end_ns > group->end_ns)
            group->end_ns = end_ns;
    }
}

static uint32_t place_lane(struct rows *rows,
                           struct group *groups,
                           struct trace_slice *slices,
                           const struct trace_place *places,
                           size_t count)
{
    reset_rows(rows, 16);
    measure_groups(groups, slices, places, count);
    for (size_t i = 0; i < count; i++) {
        struct trace_slice *slice = &slices[i];
        struct group *group = &groups[places[i].group];

        if (!places[i].group) {
            slice->row = place(rows, slice->start_ns, trace_slice_end(slice));
            continue;
        }
        if (!group->is_placed)
            group->row = place(rows, slice->start_ns, group->end_ns);
        group->is_placed = true;
        slice->row = group->row;
    }
    return rows->count;
}

/* Finds the rows of all lanes; the slices are sorted by lane. */
static void place_all(struct trace_index *index)
{
    const struct trace_place *places = index->build->places;
    struct group *groups = xcalloc(names_count(index->names), sizeof(*groups));
    struct rows rows = {0};

    for (size_t from = 0, to; from < index->slice_count; from = to) {
        struct trace_lane *lane = &index->lanes[places[from].lane];

        for (to = from;
             to < index->slice_count && places[to].lane == places[from].lane;)
            to++;
        lane->first = from;
        lane->count = to - from;
        lane->rows =
            place_lane(&rows, groups, index->slices + from, places + from, to - from);
    }
    free(rows.ends);
    free(groups);
}

/* Sorts the slices of each lane by row and start. */
static void sort_rows(struct trace_index *index)
{
    size_t next = 0;

    for (size_t i = 0; i < index->lane_count; i++) {
        struct trace_lane *lane = &index->lanes[i];

        if (!lane->count)
            lane->first = next; /* keeps `first` in the order of the lanes */
        else if (lane->rows > 1)
            qsort(index->slices + lane->first, lane->count, sizeof(struct trace_slice),
                  order_of_rows);
        next = lane->first + lane->count;
    }
    index->place_of_id =
        xregrow(NULL, 0, index->slice_count * sizeof(*index->place_of_id));
    for (size_t i = 0; i < index->slice_count; i++)
        index->place_of_id[index->slices[i].id - 1] = (uint32_t)i;
}

static void find_row_starts(struct trace_index *index)
{
    size_t total = 0, *at;

    for (size_t i = 0; i < index->lane_count; i++)
        total += index->lanes[i].rows + 1;
    at = index->row_firsts = xcalloc(total, sizeof(*index->row_firsts));
    for (size_t i = 0; i < index->lane_count; i++) {
        struct trace_lane *lane = &index->lanes[i];
        size_t slice = lane->first;

        lane->row_first = at;
        for (uint32_t row = 0; row < lane->rows; row++) {
            *at++ = slice;
            while (slice < lane->first + lane->count && index->slices[slice].row == row)
                slice++;
        }
        *at++ = slice;
    }
}

static bool is_sorted(const struct trace_index *index)
{
    const struct trace_place *places = index->build->places;

    for (size_t i = 1; i < index->slice_count; i++) {
        struct trace_new before = {index->slices[i - 1], places[i - 1]};
        struct trace_new slice = {index->slices[i], places[i]};

        if (order_of_slices(&before, &slice) > 0)
            return false;
    }
    return true;
}

/* Sorts the slices and their places by lane and start. */
static void sort_slices(struct trace_index *index)
{
    struct trace_place *places = index->build->places;
    struct trace_new *all = xregrow(NULL, 0, index->slice_count * sizeof(*all));

    for (size_t i = 0; i < index->slice_count; i++)
        all[i] = (struct trace_new){index->slices[i], places[i]};
    qsort(all, index->slice_count, sizeof(*all), order_of_slices);
    for (size_t i = 0; i < index->slice_count; i++) {
        index->slices[i] = all[i].slice;
        places[i] = all[i].place;
    }
    free(all);
}

void trace_rows_build(struct trace_index *index)
{
    if (!is_sorted(index))
        sort_slices(index);
    place_all(index);
    sort_rows(index);
    find_row_starts(index);
}
