/* trace_list.h - the events and markers of a trace */
#ifndef PARSERS_HOST_TRACE_TRACE_LIST_H
#define PARSERS_HOST_TRACE_TRACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/names.h"

enum trace_flag {
    TRACE_HOST = 1,   /* work of the host: framework, Python, launches */
    TRACE_SYNC = 2,   /* waits for the device, or copies */
    TRACE_COMM = 4,   /* communication, or a wait for it */
    TRACE_COPY = 8,   /* a copy by the device */
    TRACE_WAIT = 16,  /* a wait by the device */
    TRACE_LEAF = 32,  /* work of the host without other work nested in it */
    TRACE_LAYER = 64, /* only of a name: it marks a layer of the model */
};

struct trace_event {
    int64_t start, end; /* ns */
    uint32_t name, thread;
    uint8_t flags;
};

/* The best kind of marker is the smallest number. */
enum { TRACE_MARKER_TABLE = 1 /* the table STEP_TIME of a database */ };

/* The start of a step, marked by the program. */
struct trace_marker {
    int64_t start, end;
    uint32_t step; /* name of the number after # */
};

/* A layer of the model, marked by the program. */
struct trace_layer {
    int64_t start, end; /* ns */
    uint32_t thread;
};

/* A kernel that the program launched inside a marked layer. */
struct trace_launch {
    int64_t start;  /* ns, of the kernel */
    uint32_t layer; /* place in the layers */
};

struct trace_view {
    struct names *names;        /* borrowed */
    struct trace_event *events; /* by thread, then by start */
    size_t event_count, event_room;
    struct trace_marker *markers; /* of one kind, by start */
    size_t marker_count;
    unsigned marker_kind;       /* 0: none */
    struct trace_layer *layers; /* by start */
    size_t layer_count;
    struct trace_launch *launches; /* by start */
    size_t launch_count;
    size_t thread_count;
    uint64_t events_read, events_skipped; /* skipped: without a valid time */
    bool has_stacks;
    bool has_host;
    int64_t host_start, host_end; /* ns; of all work of the host */
};

void trace_list_add(struct trace_view *trace, const struct trace_event *event);
/* Extends the time in which the host worked. */
void trace_list_extend(struct trace_view *trace, const struct trace_event *event);
/* Keeps the markers of the best kind, and of two markers of a step the earlier one. */
void trace_list_add_marker(struct trace_view *trace,
                           unsigned kind,
                           int64_t start,
                           int64_t end,
                           const char *step);
void trace_list_add_layer(struct trace_view *trace, const struct trace_event *event);
/* Sorts events and markers, and finds work without other work nested in it. */
void trace_list_finish(struct trace_view *trace, size_t thread_count);

void trace_view_clear(struct trace_view *trace);

#endif
