/* trace_summary.c - when a process has slices, at several levels of detail
 *
 * Level 0 has the stretches of time that slices cover. Each next level closes gaps that
 * are four times as long, and is stored only when that leaves at most half of the
 * stretches. A query starts from the finest level that its window can show. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

enum { SHOWN = 30000, GAP_FACTOR = 4, COUNT_FACTOR = 2 };

/* Positions in the rows of a process, as a heap with the earliest slice on top. */
struct cursor {
    size_t at, end;
};

static int64_t start_of(const struct trace_index *index, const struct cursor *cursor)
{
    return index->slices[cursor->at].start_ns;
}

static void sink(const struct trace_index *index, struct cursor *heap, size_t count)
{
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < count &&
            start_of(index, &heap[child + 1]) < start_of(index, &heap[child]))
            child++;
        if (child >= count ||
            start_of(index, &heap[i]) <= start_of(index, &heap[child]))
            return;
        struct cursor swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

static int order_of_cursors(const void *left, const void *right, void *arg)
{
    int64_t a = start_of(arg, left), b = start_of(arg, right);

    return (a > b) - (a < b);
}

/* Adds the stretch, or extends the last one when the gap to it is below gap_ns. */
static void
add_stretch(struct trace_level *level, size_t *room, int64_t start_ns, int64_t end_ns)
{
    struct trace_stretch *last =
        level->count ? &level->stretches[level->count - 1] : NULL;

    if (last && (start_ns <= last->end_ns ||
                 (uint64_t)(start_ns - last->end_ns) < level->gap_ns)) {
        if (end_ns > last->end_ns)
            last->end_ns = end_ns;
        return;
    }
    if (!level->stretches || level->count == *room) {
        *room = *room ? 2 * *room : 16;
        level->stretches =
            xregrow(level->stretches, level->count * sizeof(*level->stretches),
                    *room * sizeof(*level->stretches));
    }
    level->stretches[level->count++] = (struct trace_stretch){start_ns, end_ns};
}

static void build_finest(struct trace_index *index, struct trace_process *process)
{
    struct trace_level *level = &process->levels[0];
    size_t rows = 0, room = 0;
    struct cursor *heap;

    for (size_t i = 0; i < process->lane_count; i++)
        rows += index->lanes[process->lanes[i]].rows;
    if (!rows)
        return;
    heap = xcalloc(rows, sizeof(*heap));
    rows = 0;
    for (size_t i = 0; i < process->lane_count; i++) {
        const struct trace_lane *lane = &index->lanes[process->lanes[i]];

        for (uint32_t row = 0; row < lane->rows; row++)
            heap[rows++] =
                (struct cursor){lane->row_first[row], lane->row_first[row + 1]};
    }
    qsort_r(heap, rows, sizeof(*heap), order_of_cursors, index); /* sorted is a heap */
    level->gap_ns = 1;
    while (rows) {
        const struct trace_slice *slice = &index->slices[heap[0].at];

        add_stretch(level, &room, slice->start_ns, trace_slice_end(slice));
        if (++heap[0].at == heap[0].end)
            heap[0] = heap[--rows];
        sink(index, heap, rows);
    }
    process->level_count = 1;
    free(heap);
}

static void build_coarser(struct trace_process *process)
{
    uint64_t gap_ns = GAP_FACTOR;

    for (int i = 1; i < 2 * TRACE_LEVELS && process->level_count < TRACE_LEVELS; i++) {
        const struct trace_level *fine = &process->levels[process->level_count - 1];
        struct trace_level coarse = {.gap_ns = gap_ns};
        size_t room = 0;

        for (size_t k = 0; k < fine->count; k++)
            add_stretch(&coarse, &room, fine->stretches[k].start_ns,
                        fine->stretches[k].end_ns);
        if (coarse.count <= fine->count / COUNT_FACTOR)
            process->levels[process->level_count++] = coarse;
        else
            free(coarse.stretches);
        if (fine->count < SHOWN / 4 || gap_ns > INT64_MAX / GAP_FACTOR)
            break;
        gap_ns *= GAP_FACTOR;
    }
}

void trace_levels_build(struct trace_index *index)
{
    for (size_t i = 0; i < index->process_count; i++) {
        build_finest(index, &index->processes[i]);
        if (index->processes[i].level_count)
            build_coarser(&index->processes[i]);
    }
}

/* Returns the coarsest level that closes no gap of gap_ns or more. */
static const struct trace_level *level_for(const struct trace_process *process,
                                           uint64_t gap_ns)
{
    size_t level = process->level_count - 1;

    while (level && process->levels[level].gap_ns > gap_ns)
        level--;
    return &process->levels[level];
}

void trace_each_stretch(const struct trace_process *process,
                        int64_t start_ns,
                        int64_t end_ns,
                        trace_stretch_fn *fn,
                        void *arg)
{
    uint64_t gap_ns = ((uint64_t)end_ns - (uint64_t)start_ns) / SHOWN;
    const struct trace_level *level;
    struct trace_stretch joined;
    size_t from = 0, to;
    bool has_any = false;

    if (!process->level_count)
        return;
    gap_ns = gap_ns ? gap_ns : 1;
    level = level_for(process, gap_ns);
    for (to = level->count; from < to;) { /* the first that ends in the window */
        size_t middle = from + (to - from) / 2;

        if (level->stretches[middle].end_ns < start_ns)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < level->count && level->stretches[from].start_ns <= end_ns; from++) {
        const struct trace_stretch *next = &level->stretches[from];

        if (has_any && (uint64_t)(next->start_ns - joined.end_ns) < gap_ns) {
            joined.end_ns = next->end_ns;
            continue;
        }
        if (has_any)
            fn(arg, joined.start_ns, joined.end_ns);
        joined = *next;
        if (joined.start_ns < start_ns)
            joined.start_ns = start_ns;
        has_any = true;
    }
    if (has_any)
        fn(arg, joined.start_ns, joined.end_ns < end_ns ? joined.end_ns : end_ns);
}
