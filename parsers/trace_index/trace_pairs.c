/* trace_pairs.c - slices of B and E events, and the ends of arrows
 *
 * The viewer pairs a B and an E by their kind and id; either may come first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

static const struct {
    const char *name;
    char kind;
} flags[] = {{"SET_FLAG", 's'},
             {"set_event", 's'},
             {"WAIT_FLAG", 'w'},
             {"wait_event", 'w'}};

static char kind_of(const char *name)
{
    for (size_t i = 0; i < COUNT(flags); i++)
        if (strcmp(name, flags[i].name) == 0)
            return flags[i].kind;
    return '\0';
}

bool trace_is_flag(const char *name)
{
    return kind_of(name) != '\0';
}

static struct trace_half *half_of(struct trace_index *index,
                                  const struct trace_slice *s)
{
    struct trace_build *build = index->build;
    char key[16];

    snprintf(key, sizeof(key), "%c%x", kind_of(names_text(index->names, s->name)),
             s->flag);
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
