/* trace_pairs.c - slices of B and E events, and the ends of arrows
 *
 * The viewer pairs a B and an E by their kind and id; either may come first. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

static struct trace_half *half_of(struct trace_index *index,
                                  const struct trace_slice *s)
{
    struct trace_build *build = index->build;
    char key[16];

    snprintf(key, sizeof(key), "%c%x",
             trace_flag_kind(names_text(index->names, s->name)), s->flag);
    uint32_t number = names_add(build->half_keys, key) - 1;
    if (number == build->half_count) {
        if (build->half_count == build->half_room) {
            build->half_room = build->half_room ? 2 * build->half_room : 64;
            build->halves =
                xreallocarray(build->halves, build->half_room, sizeof(*build->halves));
        }
        build->halves[build->half_count++] = (struct trace_half){0};
    }
    return &build->halves[number];
}

int trace_pair_add(struct trace_index *index,
                   const struct trace_new *slice,
                   int64_t at_ns,
                   bool is_end,
                   struct err *err)
{
    struct trace_half *half = half_of(index, &slice->slice);

    if (is_end) {
        half->has_end = true;
        half->end_ns = at_ns;
    } else {
        half->has_begin = true;
        half->slice = *slice;
    }
    if (!half->has_begin || !half->has_end)
        return 0;
    struct trace_new whole = half->slice;
    int64_t end_ns = half->end_ns;
    *half = (struct trace_half){0};
    if (end_ns < whole.slice.start_ns) {
        index->dropped++;
        return 0;
    }
    whole.slice.duration_ns = (uint64_t)(end_ns - whole.slice.start_ns);
    return trace_add_slice(index, &whole, err);
}

static int order_of_points(const void *left, const void *right)
{
    const struct trace_point *a = left, *b = right;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->is_end != b->is_end)
        return a->is_end ? 1 : -1;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

void trace_points_sort(struct trace_index *index)
{
    if (index->point_count)
        qsort(index->points, index->point_count, sizeof(*index->points),
              order_of_points);
}
