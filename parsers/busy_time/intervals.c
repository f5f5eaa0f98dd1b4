#include "parsers/busy_time/intervals.h"

#include <stdlib.h>

#include "lib/base/mem.h"

void intervals_clear(struct intervals *set)
{
    free(set->items);
    *set = (struct intervals){0};
}

void intervals_add(struct intervals *set, int64_t start, int64_t end)
{
    if (end <= start)
        return;
    if (set->count == set->room) {
        set->room = set->room ? set->room * 2 : 64;
        set->items = xreallocarray(set->items, set->room, sizeof(*set->items));
    }
    set->items[set->count++] = (struct interval){start, end};
}

static int compare(const void *a, const void *b)
{
    const struct interval *left = a, *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->end < right->end ? -1 : left->end > right->end;
}

void intervals_merge(struct intervals *set)
{
    size_t kept = 0;

    for (size_t i = 1; i < set->count; i++)
        if (compare(&set->items[i - 1], &set->items[i]) > 0) {
            qsort(set->items, set->count, sizeof(*set->items), compare);
            break;
        }
    for (size_t i = 0; i < set->count; i++) {
        struct interval item = set->items[i];

        if (kept > 0 && item.start <= set->items[kept - 1].end) {
            if (item.end > set->items[kept - 1].end)
                set->items[kept - 1].end = item.end;
        } else {
            set->items[kept++] = item;
        }
    }
    set->count = kept;
}

int64_t intervals_length(const struct intervals *set)
{
    int64_t length = 0;

    for (size_t i = 0; i < set->count; i++)
        length += set->items[i].end - set->items[i].start;
    return length;
}

size_t intervals_first_after(const struct intervals *set, int64_t time)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (set->items[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int64_t common(struct interval a, struct interval b)
{
    int64_t start = a.start > b.start ? a.start : b.start;
    int64_t end = a.end < b.end ? a.end : b.end;

    return end > start ? end - start : 0;
}

int64_t intervals_cover(const struct intervals *set, int64_t start, int64_t end)
{
    int64_t length = 0;

    for (size_t i = intervals_first_after(set, start);
         i < set->count && set->items[i].start < end; i++)
        length += common(set->items[i], (struct interval){start, end});
    return length;
}

int64_t intervals_shared(const struct intervals *a,
                         const struct intervals *b,
                         int64_t start,
                         int64_t end)
{
    int64_t length = 0;

    for (size_t i = intervals_first_after(a, start);
         i < a->count && a->items[i].start < end; i++) {
        int64_t from = a->items[i].start > start ? a->items[i].start : start;
        int64_t to = a->items[i].end < end ? a->items[i].end : end;

        length += intervals_cover(b, from, to);
    }
    return length;
}
