#include "parsers/xpti/event_spans.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "xpti/abi/abi.h"
#include "xpti/abi/trace_names.h"

/* Begins that wait for their ends at the same time. More are damage, or an unknown
 * producer: the oldest then get no end, so that the search for a begin stays short. */
enum { OPEN_MAX = 8192 };

/* A begin that waits for its end; the latest is last. */
struct open_span {
    uint16_t type;
    uint32_t thread;
    uint64_t object, instance;
    size_t span;
};

struct join {
    struct event_spans *spans;
    const struct trace_process *process;
    struct open_span *open;
    size_t open_count, span_room;
    size_t first; /* span of the process */
};

static enum span_kind kind_of_task(const struct trace_process *process,
                                   const struct trace_object *object)
{
    const char *kind = object ? trace_text(process, object->kind) : "";

    if (object && object->kernel_name)
        return SPAN_KERNEL;
    if (strcmp(kind, "memory_transfer_node") == 0)
        return SPAN_TRANSFER;
    return strcmp(kind, "command_group_node") == 0 ? SPAN_KERNEL : SPAN_TASK;
}

static enum span_kind kind_of(const struct trace_process *process,
                              const struct record_xpti_event *event,
                              const struct trace_object *object)
{
    switch (event->type) {
    case XPTI_TASK_BEGIN:
        return kind_of_task(process, object);
    case XPTI_CALL_BEGIN:
    case XPTI_FUNCTION_BEGIN:
        return SPAN_CALL;
    case XPTI_WAIT_BEGIN:
        return SPAN_WAIT;
    default:
        return SPAN_OTHER;
    }
}

static const char *name_of(const struct trace_process *process,
                           const struct record_xpti_event *event,
                           const struct trace_object *object)
{
    const char *name = trace_text(process, event->text);

    if (*name)
        return name;
    name = object ? trace_object_name(process, object) : "";
    return *name ? name : xpti_span_name(event->type);
}

static bool is_begin(uint16_t type)
{
    return xpti_trace_type_is_known(type) && type % 2 == 0 &&
           xpti_trace_type_is_known((uint16_t)(type + 1)) &&
           type != XPTI_QUEUE_CREATE && type < XPTI_OFFLOAD_CONSTRUCT;
}

static bool is_end(uint16_t type)
{
    return type % 2 == 1 && is_begin((uint16_t)(type - 1));
}

static void forget_oldest(struct join *join)
{
    const size_t half = OPEN_MAX / 2;

    memmove(join->open, join->open + half, half * sizeof(*join->open));
    join->open_count = half;
    join->spans->unpaired += half;
}

static void begin(struct join *join, const struct record_xpti_event *event)
{
    const struct trace_process *process = join->process;
    const struct trace_object *object = trace_object(process, event->object);
    struct event_spans *spans = join->spans;
    const int64_t time = (int64_t)event->time_ns + process->to_wall_ns;

    if (spans->count == join->span_room) {
        join->span_room = join->span_room ? 2 * join->span_room : 256;
        spans->spans = xrealloc(spans->spans, join->span_room * sizeof(*spans->spans));
    }
    if (join->open_count == OPEN_MAX)
        forget_oldest(join);
    join->open[join->open_count++] = (struct open_span){
        event->type, event->thread, event->object, event->instance, spans->count};
    spans->spans[spans->count++] = (struct span){
        .process = process,
        .kind = kind_of(process, event, object),
        .name = name_of(process, event, object),
        .object = object,
        .object_number = event->object,
        .start_ns = time,
        .end_ns = time,
        .queue = object ? object->queue : 0,
        .bytes = event->size ? event->size
                 : object    ? object->bytes
                             : 0,
        .thread = event->thread,
        .type = event->type,
        .is_unfinished = true,
    };
}

/* A task without a queue runs on that of the call in it, on the same thread. */
static void take_handle(struct join *join, const struct record_xpti_event *event)
{
    size_t at = join->open_count;
    struct span *span;

    while (at > 0 && (join->open[at - 1].type != XPTI_TASK_BEGIN ||
                      join->open[at - 1].thread != event->thread))
        at--;
    if (at == 0)
        return;
    span = &join->spans->spans[join->open[at - 1].span];
    if (span->queue == 0 && span->queue_handle == 0)
        span->queue_handle = event->value;
}

static bool is_pair(const struct open_span *open, const struct record_xpti_event *event)
{
    return open->type + 1 == event->type && open->object == event->object &&
           open->instance == event->instance;
}

/* A memory block is not known at the begin of its allocation: no object, one thread. */
static void end(struct join *join, const struct record_xpti_event *event)
{
    struct span *span;
    size_t at = join->open_count;

    while (at > 0 && !is_pair(&join->open[at - 1], event))
        at--;
    if (at == 0) {
        join->spans->unpaired++;
        return;
    }
    span = &join->spans->spans[join->open[at - 1].span];
    span->is_unfinished = false;
    span->end_ns = (int64_t)event->time_ns + join->process->to_wall_ns;
    span->result = event->result;
    if (span->bytes == 0)
        span->bytes = event->size;
    memmove(&join->open[at - 1], &join->open[at],
            (join->open_count - at) * sizeof(*join->open));
    join->open_count--;
}

static void add_edge(struct event_spans *spans, size_t source, size_t target)
{
    /* the room doubles at each power of two */
    if ((spans->edge_count & (spans->edge_count - 1)) == 0)
        spans->edges =
            xrealloc(spans->edges, (2 * spans->edge_count + 1) * sizeof(*spans->edges));
    spans->edges[spans->edge_count++] = (struct span_edge){source, target};
}

/* The task of a node; a node has its task after the edges that lead to it. */
struct node_task {
    uint64_t node;
    size_t span;
};

static int compare_tasks(const void *a, const void *b)
{
    const struct node_task *left = a, *right = b;

    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return left->span < right->span ? -1 : left->span > right->span;
}

/* Returns the last task of the node, or NULL. */
static const struct node_task *
find_task(const struct node_task *tasks, size_t count, uint64_t node)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (tasks[middle].node <= node)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && tasks[low - 1].node == node ? &tasks[low - 1] : NULL;
}

static void join_edges(struct join *join)
{
    struct event_spans *spans = join->spans;
    struct node_task *tasks = xcalloc(spans->count - join->first + 1, sizeof(*tasks));
    size_t count = 0;

    for (size_t i = join->first; i < spans->count; i++)
        if (spans->spans[i].type == XPTI_TASK_BEGIN && spans->spans[i].object)
            tasks[count++] = (struct node_task){spans->spans[i].object_number, i};
    qsort(tasks, count, sizeof(*tasks), compare_tasks);
    for (size_t i = 0; i < join->process->event_count; i++) {
        const struct record_xpti_event *event = &join->process->events[i];
        const struct node_task *source, *target;

        if (event->type != XPTI_EDGE_CREATE)
            continue;
        source = find_task(tasks, count, event->object);
        target = find_task(tasks, count, event->target);
        if (source && target)
            add_edge(spans, source->span, target->span);
        else
            spans->edges_left_out++;
    }
    free(tasks);
}

static void join_process(struct join *join)
{
    join->open_count = 0;
    join->first = join->spans->count;
    for (size_t i = 0; i < join->process->event_count; i++) {
        const struct record_xpti_event *event = &join->process->events[i];

        if (is_begin(event->type))
            begin(join, event);
        else if (is_end(event->type))
            end(join, event);
        if (event->type == XPTI_CALL_BEGIN && event->value != 0)
            take_handle(join, event);
        join->spans->nodes += event->type == XPTI_NODE_CREATE;
        join->spans->queues += event->type == XPTI_QUEUE_CREATE;
    }
    join->spans->unpaired += join->open_count;
    join_edges(join);
}

void event_spans_join(struct event_spans *spans, const struct trace_records *records)
{
    struct join join = {.spans = spans,
                        .open = xcalloc(OPEN_MAX, sizeof(struct open_span))};

    *spans = (struct event_spans){0};
    for (size_t i = 0; i < records->count; i++) {
        join.process = &records->processes[i];
        join_process(&join);
    }
    free(join.open);
}

void event_spans_clear(struct event_spans *spans)
{
    free(spans->spans);
    free(spans->edges);
    *spans = (struct event_spans){0};
}
