/* event_spans.h - begins and ends of events, joined into spans
 *
 * An end belongs to the last open begin of the same kind, object and instance. The half
 * of a pair can be missing: producers and filters leave it out, and programs end. */
#ifndef PARSERS_XPTI_EVENT_SPANS_H
#define PARSERS_XPTI_EVENT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/xpti/trace_records.h"

enum span_kind {
    SPAN_KERNEL,   /* task of a command group */
    SPAN_TRANSFER, /* task of a memory transfer */
    SPAN_TASK,     /* other task */
    SPAN_CALL,     /* call of Unified Runtime or of a plugin */
    SPAN_WAIT,
    SPAN_OTHER, /* memory, barriers, regions ... */
    SPAN_KINDS
};

struct span {
    const struct trace_process *process;
    enum span_kind kind;
    const char *name;
    const struct trace_object *object; /* NULL: none */
    int64_t start_ns, end_ns;          /* wall time */
    uint64_t object_number;
    uint64_t queue;        /* of a task; 0: unknown */
    uint64_t queue_handle; /* of a task without a queue: that of a call in it; or 0 */
    uint64_t bytes;
    uint32_t thread;
    int32_t result;
    uint16_t type;      /* trace type of the begin */
    bool is_unfinished; /* without an end; end_ns is start_ns */
};

/* A dependency: the target starts after the source. Indices of tasks among the spans.
 */
struct span_edge {
    size_t source, target;
};

struct event_spans {
    struct span *spans; /* by start */
    size_t count;
    struct span_edge *edges;
    size_t edge_count;
    size_t nodes, queues;
    size_t unpaired;       /* begins and ends without their other half */
    size_t edges_left_out; /* edges with a node that has no task */
};

void event_spans_join(struct event_spans *spans, const struct trace_records *records);
void event_spans_clear(struct event_spans *spans);

#endif
