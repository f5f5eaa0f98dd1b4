#include "parsers/host_trace/trace_list.h"

#include <stdlib.h>

#include "lib/base/mem.h"

void trace_list_add(struct trace_view *trace, const struct trace_event *event)
{
    if (trace->event_count == trace->event_room) {
        trace->event_room =
            trace->event_room ? trace->event_room + trace->event_room / 2 : 1024;
        trace->events =
            xreallocarray(trace->events, trace->event_room, sizeof(*trace->events));
    }
    trace->events[trace->event_count++] = *event;
}

void trace_list_extend(struct trace_view *trace, const struct trace_event *event)
{
    if (!trace->has_host || event->start < trace->host_start)
        trace->host_start = event->start;
    if (!trace->has_host || event->end > trace->host_end)
        trace->host_end = event->end;
    trace->has_host = true;
}

void trace_list_add_marker(struct trace_view *trace,
                           unsigned kind,
                           int64_t start,
                           int64_t end,
                           const char *step)
{
    struct trace_marker marker = {start, end, names_add(trace->names, step)};

    if (trace->marker_kind != 0 && kind > trace->marker_kind)
        return;
    if (kind != trace->marker_kind)
        trace->marker_count = 0;
    trace->marker_kind = kind;
    for (size_t i = trace->marker_count; i > 0; i--) {
        if (trace->markers[i - 1].step != marker.step ||
            (!*step && trace->markers[i - 1].start != start))
            continue;
        if (marker.start < trace->markers[i - 1].start)
            trace->markers[i - 1] = marker;
        return;
    }
    trace->markers =
        xreallocarray(trace->markers, trace->marker_count + 1, sizeof(*trace->markers));
    trace->markers[trace->marker_count++] = marker;
}

void trace_list_add_layer(struct trace_view *trace, const struct trace_event *event)
{
    trace->layers =
        xreallocarray(trace->layers, trace->layer_count + 1, sizeof(*trace->layers));
    trace->layers[trace->layer_count++] =
        (struct trace_layer){event->start, event->end, event->thread};
}

static int compare_markers(const void *a, const void *b)
{
    const struct trace_marker *left = a, *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

/* By thread and start; of events with the same start the longer one is first. */
static int compare_events(const void *a, const void *b)
{
    const struct trace_event *left = a, *right = b;

    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if (left->end != right->end)
        return left->end > right->end ? -1 : 1;
    return 0;
}

static void mark_leaves(struct trace_view *trace)
{
    struct trace_event *events = trace->events;

    for (size_t i = 0; i < trace->event_count; i++) {
        bool leaf = events[i].flags & TRACE_HOST;

        for (size_t j = i + 1;
             leaf && j < trace->event_count && events[j].thread == events[i].thread &&
             events[j].start < events[i].end;
             j++)
            leaf = !(events[j].flags & TRACE_HOST) || events[j].end > events[i].end;
        if (leaf)
            events[i].flags |= TRACE_LEAF;
    }
}

/* Numbers markers that have no number, by time. */
static void number_markers(struct trace_view *trace)
{
    for (size_t i = 0; i < trace->marker_count; i++) {
        char *number;

        if (*names_text(trace->names, trace->markers[i].step))
            continue;
        number = xasprintf("%zu", i);
        trace->markers[i].step = names_add(trace->names, number);
        free(number);
    }
}

void trace_list_finish(struct trace_view *trace, size_t thread_count)
{
    trace->thread_count = thread_count;
    if (trace->event_count > 0)
        qsort(trace->events, trace->event_count, sizeof(*trace->events),
              compare_events);
    if (trace->marker_count > 0)
        qsort(trace->markers, trace->marker_count, sizeof(*trace->markers),
              compare_markers);
    number_markers(trace);
    mark_leaves(trace);
}

void trace_view_clear(struct trace_view *trace)
{
    free(trace->events);
    free(trace->markers);
    free(trace->layers);
    free(trace->launches);
    *trace = (struct trace_view){0};
}
