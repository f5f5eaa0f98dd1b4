#include "parsers/host_trace/trace_filter.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum { FIRST_ROOM = 1024, FREE = 0 };

/* Work of a thread in the busy time before one idle time. */
struct stretch {
    uint64_t key;                   /* thread and idle time, plus 1; FREE: no entry */
    int64_t last_start, last_end;   /* of the event that starts last */
    int64_t first_start, first_end; /* of the event that ends first */
    uint8_t last_flags, first_flags;
};

struct trace_filter {
    const struct intervals *idle;
    size_t near; /* index of the idle time of the last event */
    struct stretch *stretches;
    size_t count, room; /* room is a power of two */
};

struct trace_filter *trace_filter_create(const struct intervals *idle)
{
    struct trace_filter *filter = xcalloc(1, sizeof(*filter));

    filter->idle = idle;
    filter->room = FIRST_ROOM;
    filter->stretches = xcalloc(filter->room, sizeof(*filter->stretches));
    return filter;
}

void trace_filter_destroy(struct trace_filter *filter)
{
    if (!filter)
        return;
    free(filter->stretches);
    free(filter);
}

static struct stretch *place_of(struct stretch *stretches, size_t room, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

    while (stretches[at].key != FREE && stretches[at].key != key)
        at = (at + 1) & (room - 1);
    return &stretches[at];
}

static void grow(struct trace_filter *filter)
{
    size_t room = filter->room * 2;
    struct stretch *stretches = xcalloc(room, sizeof(*stretches));

    for (size_t i = 0; i < filter->room; i++)
        if (filter->stretches[i].key != FREE)
            *place_of(stretches, room, filter->stretches[i].key) = filter->stretches[i];
    free(filter->stretches);
    filter->stretches = stretches;
    filter->room = room;
}

static void
remember(struct trace_filter *filter, const struct trace_event *event, size_t before)
{
    uint64_t key = ((uint64_t)event->thread << 32 | (uint32_t)before) + 1;
    struct stretch *at = place_of(filter->stretches, filter->room, key);
    bool is_new = at->key == FREE;

    at->key = key;
    if (is_new || event->start > at->last_start) {
        at->last_start = event->start;
        at->last_end = event->end;
        at->last_flags = event->flags;
    }
    if (is_new || event->end < at->first_end) {
        at->first_start = event->start;
        at->first_end = event->end;
        at->first_flags = event->flags;
    }
    if (is_new && ++filter->count * 4 > filter->room * 3)
        grow(filter);
}

/* Returns the first idle time that ends after the start. Events come nearly by time. */
static size_t idle_after(struct trace_filter *filter, int64_t start)
{
    const struct intervals *idle = filter->idle;
    size_t at = filter->near;

    if (at < idle->count && idle->items[at].end > start &&
        (at == 0 || idle->items[at - 1].end <= start))
        return at;
    if (at + 1 < idle->count && idle->items[at].end <= start &&
        idle->items[at + 1].end > start)
        return filter->near = at + 1;
    return filter->near = intervals_first_after(idle, start);
}

bool trace_filter_takes(struct trace_filter *filter,
                        const struct trace_event *event,
                        bool may_be_host)
{
    size_t next;

    if (!filter->idle)
        return true;
    next = idle_after(filter, event->start);
    if (next < filter->idle->count && filter->idle->items[next].start < event->end)
        return true;
    if (may_be_host)
        remember(filter, event, next);
    return false;
}

static void
add(struct trace_view *trace, uint64_t key, int64_t start, int64_t end, uint8_t flags)
{
    trace_list_add(trace, &(struct trace_event){.start = start,
                                                .end = end,
                                                .thread = (uint32_t)((key - 1) >> 32),
                                                .flags = flags});
}

void trace_filter_give(const struct trace_filter *filter, struct trace_view *trace)
{
    for (size_t i = 0; i < filter->room; i++) {
        const struct stretch *at = &filter->stretches[i];

        if (at->key == FREE)
            continue;
        add(trace, at->key, at->last_start, at->last_end, at->last_flags);
        if (at->first_start != at->last_start || at->first_end != at->last_end)
            add(trace, at->key, at->first_start, at->first_end, at->first_flags);
    }
}
