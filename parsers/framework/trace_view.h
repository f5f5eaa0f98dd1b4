/* trace_view.h - reads trace_view.json: events of the host, and waits and copies of the
 * device
 *
 * The file is an array of events, or an object with the array "traceEvents". Times are
 * numbers or texts, and keys come in any order. Only events that a later question needs
 * are kept, at 32 bytes each: kernels and counters of the device are left out. */
#ifndef PARSERS_FRAMEWORK_TRACE_VIEW_H
#define PARSERS_FRAMEWORK_TRACE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/names.h"

enum trace_flag {
    TRACE_HOST = 1,  /* work of the host: framework, Python, launches */
    TRACE_SYNC = 2,  /* waits for the device, or copies */
    TRACE_COMM = 4,  /* communication, or a wait for it */
    TRACE_COPY = 8,  /* a copy by the device */
    TRACE_WAIT = 16, /* a wait by the device */
    TRACE_LEAF = 32, /* work of the host without other work nested in it */
};

struct trace_event {
    int64_t start, end; /* ns */
    uint32_t name, thread;
    uint8_t flags;
};

/* The start of a step, marked by the program. */
struct trace_marker {
    int64_t start, end;
    uint32_t step; /* name of the number after # */
};

struct trace_view {
    struct names *names;        /* borrowed */
    struct trace_event *events; /* by thread, then by start */
    size_t event_count, event_room;
    struct trace_marker *markers; /* of one kind, by start */
    size_t marker_count;
    size_t thread_count;
    uint64_t events_read, events_skipped; /* skipped: without a valid time */
    bool has_stacks;
    bool has_host;
    int64_t host_start, host_end; /* ns; of all work of the host */
};

int trace_view_read(struct trace_view *trace,
                    struct names *names,
                    const char *path,
                    struct err *err);
void trace_view_clear(struct trace_view *trace);

#endif
