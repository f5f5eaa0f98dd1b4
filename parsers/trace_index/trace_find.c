/* trace_find.c - finds lanes, counters and slices of an index by their names */
#include <stdlib.h>

#include "parsers/trace_index/trace_index_internal.h"

uint32_t trace_find_process(const struct trace_index *index, const char *pid)
{
    uint32_t found = names_find(index->process_keys, pid);

    return found == 0 || found == UINT32_MAX ? TRACE_NONE : found - 1;
}

static uint32_t find_pair(const struct trace_index *index,
                          const struct names *keys,
                          const char *pid,
                          const char *other)
{
    uint32_t a = names_find(index->names, pid), b = names_find(index->names, other);
    char key[PAIR_KEY_BYTES];

    if (a == UINT32_MAX || b == UINT32_MAX)
        return TRACE_NONE;
    trace_pair_key(key, a, b);
    uint32_t found = names_find(keys, key);
    return found == UINT32_MAX ? TRACE_NONE : found - 1;
}

uint32_t
trace_find_lane(const struct trace_index *index, const char *pid, const char *tid)
{
    return find_pair(index, index->lane_keys, pid, tid);
}

uint32_t
trace_find_counter(const struct trace_index *index, const char *pid, const char *name)
{
    return find_pair(index, index->counter_keys, pid, name);
}

const struct trace_slice *trace_find_slice(const struct trace_index *index, uint64_t id)
{
    if (id == 0 || id > index->slice_count)
        return NULL;
    return &index->slices[index->place_of_id[id - 1]];
}

uint32_t trace_slice_lane(const struct trace_index *index,
                          const struct trace_slice *slice)
{
    size_t at = (size_t)(slice - index->slices), low = 0, high = index->lane_count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (index->lanes[middle].first <= at)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

uint64_t trace_self_time(const struct trace_index *index,
                         const struct trace_slice *slice,
                         bool *has_children)
{
    const struct trace_lane *lane = &index->lanes[trace_slice_lane(index, slice)];
    int64_t end_ns = trace_slice_end(slice), covered_to = slice->start_ns;
    uint64_t covered = 0;
    size_t from = 0, to = 0;

    *has_children = false;
    if (slice->row + 1 < lane->rows)
        trace_row_window(index, lane, slice->row + 1, slice->start_ns, end_ns, &from,
                         &to);
    for (; from < to; from++) {
        int64_t start = index->slices[from].start_ns;
        int64_t end = trace_slice_end(&index->slices[from]);

        if (start >= end_ns || end <= slice->start_ns)
            continue; /* only touches the slice */
        *has_children = true;
        start = start > covered_to ? start : covered_to;
        end = end < end_ns ? end : end_ns;
        if (end > start) {
            covered += (uint64_t)(end - start);
            covered_to = end;
        }
    }
    return slice->duration_ns - covered;
}

size_t trace_index_bytes(const struct trace_index *index)
{
    size_t bytes = names_bytes(index->names) + names_bytes(index->lane_keys) +
                   index->slice_count * (sizeof(struct trace_slice) + 6) +
                   index->point_count * sizeof(struct trace_point);

    for (size_t i = 0; i < index->counter_count; i++)
        bytes += index->counters[i].room * sizeof(struct trace_sample);
    for (size_t i = 0; i < index->process_count; i++)
        for (size_t k = 0; k < index->processes[i].level_count; k++)
            bytes += index->processes[i].levels[k].count * sizeof(struct trace_stretch);
    return bytes;
}
