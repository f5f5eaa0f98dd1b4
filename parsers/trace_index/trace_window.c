/* trace_window.c - the slices of a row in a window, thinned to the longest of each part
 *
 * `longest` holds, for each 32 consecutive slices, the index of the longest, for each
 * 32 of these again, and so on. So the longest slice of any range is found without a
 * pass over the range. */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

enum { FAN = 32, PARTS = 1000 };

static bool is_hidden(const struct trace_index *index, size_t slice, int variant)
{
    return variant &&
           trace_is_flag(names_text(index->names, index->slices[slice].name));
}

/* Returns the longer slice, or of two of equal length the first. TRACE_NONE is no
 * slice. */
static uint32_t longer(const struct trace_index *index, uint32_t a, uint32_t b)
{
    if (a == TRACE_NONE || b == TRACE_NONE)
        return a == TRACE_NONE ? b : a;
    if (index->slices[a].duration_ns == index->slices[b].duration_ns)
        return a < b ? a : b;
    return index->slices[b].duration_ns > index->slices[a].duration_ns ? b : a;
}

static void build_variant(struct trace_index *index, int variant)
{
    uint32_t **levels = xcalloc(index->longest_levels, sizeof(*levels));
    size_t below = index->slice_count;

    index->longest[variant] = levels;
    for (size_t level = 0; level < index->longest_levels; level++) {
        size_t count = (below + FAN - 1) / FAN;

        levels[level] = xregrow(NULL, 0, count * sizeof(uint32_t));
        for (size_t i = 0; i < count; i++) {
            uint32_t best = TRACE_NONE;

            for (size_t k = i * FAN; k < below && k < (i + 1) * FAN; k++) {
                uint32_t next = level ? levels[level - 1][k] : (uint32_t)k;

                if (level || !is_hidden(index, k, variant))
                    best = longer(index, best, next);
            }
            levels[level][i] = best;
        }
        below = count;
    }
}

void trace_longest_build(struct trace_index *index)
{
    for (size_t count = index->slice_count; count > FAN;
         count = (count + FAN - 1) / FAN)
        index->longest_levels++;
    for (int variant = 0; variant < 2; variant++)
        build_variant(index, variant);
}

/* Returns the longest slice of [from, to), or TRACE_NONE. Goes up the levels from both
 * ends of the range. */
static uint32_t
longest_of(const struct trace_index *index, size_t from, size_t to, int variant)
{
    uint32_t best = TRACE_NONE;

    for (size_t level = 0; from < to; level++) {
        const uint32_t *list = level ? index->longest[variant][level - 1] : NULL;
        bool is_last = level == index->longest_levels;

        while (from < to && (from % FAN || is_last)) {
            if (list || !is_hidden(index, from, variant))
                best = longer(index, best, list ? list[from] : (uint32_t)from);
            from++;
        }
        while (from < to && to % FAN) {
            to--;
            if (list || !is_hidden(index, to, variant))
                best = longer(index, best, list ? list[to] : (uint32_t)to);
        }
        from /= FAN;
        to /= FAN;
    }
    return best;
}

/* Returns the first slice of [from, to) that begins at or after the time. */
static size_t
first_after(const struct trace_index *index, size_t from, size_t to, int64_t at_ns)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (index->slices[middle].start_ns < at_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Does the same for a place near `from`. */
static size_t
next_after(const struct trace_index *index, size_t from, size_t to, int64_t at_ns)
{
    size_t step = 1;

    while (from + step < to && index->slices[from + step].start_ns < at_ns) {
        from += step;
        step *= 2;
    }
    return first_after(index, from, from + step < to ? from + step : to, at_ns);
}

void trace_row_window(const struct trace_index *index,
                      const struct trace_lane *lane,
                      uint32_t row,
                      int64_t start_ns,
                      int64_t end_ns,
                      size_t *from,
                      size_t *to)
{
    size_t first = lane->row_first[row], last = lane->row_first[row + 1];

    *from = first_after(index, first, last, start_ns);
    while (*from > first && trace_slice_end(&index->slices[*from - 1]) >= start_ns)
        --*from;
    *to = end_ns == INT64_MAX ? last : first_after(index, *from, last, end_ns + 1);
}

void trace_each_in_row(const struct trace_index *index,
                       const struct trace_lane *lane,
                       uint32_t row,
                       int64_t start_ns,
                       int64_t end_ns,
                       bool without_flags,
                       trace_slice_fn *fn,
                       void *arg)
{
    uint64_t length = (uint64_t)end_ns - (uint64_t)start_ns;
    size_t from, to;

    trace_row_window(index, lane, row, start_ns, end_ns, &from, &to);
    while (from < to) {
        size_t next = from + 1;

        if (length >= PARTS) {
            int64_t begin = index->slices[from].start_ns;
            unsigned __int128 after =
                begin > start_ns ? (uint64_t)begin - (uint64_t)start_ns : 0;
            uint64_t part = (uint64_t)(after * PARTS / length);
            uint64_t part_end =
                (uint64_t)(((unsigned __int128)(part + 1) * length + PARTS - 1) /
                           PARTS);

            next = next_after(index, from, to, start_ns + (int64_t)part_end);
        }
        uint32_t best = longest_of(index, from, next, without_flags);
        if (best != TRACE_NONE)
            fn(arg, &index->slices[best]);
        from = next;
    }
}
