#include "xpti/abi/trace_names.h"

#include <string.h>

#include "xpti/abi/abi.h"

static const char *const types[XPTI_TYPE_COUNT] = {
    [XPTI_GRAPH_CREATE] = "graph_create",
    [XPTI_NODE_CREATE] = "node_create",
    [XPTI_EDGE_CREATE] = "edge_create",
    [XPTI_REGION_BEGIN] = "region_begin",
    [XPTI_REGION_END] = "region_end",
    [XPTI_TASK_BEGIN] = "task_begin",
    [XPTI_TASK_END] = "task_end",
    [XPTI_BARRIER_BEGIN] = "barrier_begin",
    [XPTI_BARRIER_END] = "barrier_end",
    [XPTI_LOCK_BEGIN] = "lock_begin",
    [XPTI_LOCK_END] = "lock_end",
    [XPTI_SIGNAL] = "signal",
    [XPTI_TRANSFER_BEGIN] = "transfer_begin",
    [XPTI_TRANSFER_END] = "transfer_end",
    [XPTI_THREAD_BEGIN] = "thread_begin",
    [XPTI_THREAD_END] = "thread_end",
    [XPTI_WAIT_BEGIN] = "wait_begin",
    [XPTI_WAIT_END] = "wait_end",
    [XPTI_FUNCTION_BEGIN] = "function_begin",
    [XPTI_FUNCTION_END] = "function_end",
    [XPTI_METADATA] = "metadata",
    [XPTI_CALL_BEGIN] = "function_with_args_begin",
    [XPTI_CALL_END] = "function_with_args_end",
    [XPTI_CALL_END_2021] = "function_with_args_end_2021",
    [XPTI_ALLOC_BEGIN] = "mem_alloc_begin",
    [XPTI_ALLOC_END] = "mem_alloc_end",
    [XPTI_RELEASE_BEGIN] = "mem_release_begin",
    [XPTI_RELEASE_END] = "mem_release_end",
    [XPTI_OFFLOAD_CONSTRUCT] = "offload_construct",
    [XPTI_OFFLOAD_DESTRUCT] = "offload_destruct",
    [XPTI_OFFLOAD_ASSOCIATE] = "offload_associate",
    [XPTI_OFFLOAD_RELEASE] = "offload_release",
    [XPTI_OFFLOAD_ACCESSOR] = "offload_accessor",
    [XPTI_QUEUE_CREATE] = "queue_create",
    [XPTI_QUEUE_DESTROY] = "queue_destroy",
    [XPTI_DIAGNOSTICS] = "diagnostics",
};

static const char *const spans[XPTI_TYPE_COUNT] = {
    [XPTI_REGION_BEGIN] = "region",
    [XPTI_TASK_BEGIN] = "task",
    [XPTI_BARRIER_BEGIN] = "barrier",
    [XPTI_LOCK_BEGIN] = "lock",
    [XPTI_TRANSFER_BEGIN] = "transfer",
    [XPTI_THREAD_BEGIN] = "thread",
    [XPTI_WAIT_BEGIN] = "wait",
    [XPTI_FUNCTION_BEGIN] = "function",
    [XPTI_CALL_BEGIN] = "function_with_args",
    [XPTI_ALLOC_BEGIN] = "mem_alloc",
    [XPTI_RELEASE_BEGIN] = "mem_release",
};

static const char *const event_types[] = {
    "unknown",
    "graph",
    "algorithm",
    "barrier",
    "scheduler",
    "async",
    "lock",
    "offload_read",
    "offload_write",
    "offload_object",
    "offload_accessor",
};

bool xpti_trace_type_is_known(uint16_t type)
{
    return type < XPTI_TYPE_COUNT && types[type];
}

const char *xpti_trace_type_name(uint16_t type)
{
    return xpti_trace_type_is_known(type) ? types[type] : "unknown";
}

const char *xpti_span_name(uint16_t begin)
{
    return begin < XPTI_TYPE_COUNT && spans[begin] ? spans[begin]
                                                   : xpti_trace_type_name(begin);
}

uint16_t xpti_trace_type_find(const char *name)
{
    for (uint16_t type = 1; type < XPTI_TYPE_COUNT; type++)
        if (types[type] && strcmp(types[type], name) == 0)
            return type;
    return 0;
}

const char *xpti_event_type_name(uint16_t event_type)
{
    return event_type < sizeof(event_types) / sizeof(event_types[0])
               ? event_types[event_type]
               : "unknown";
}
