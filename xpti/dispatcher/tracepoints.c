/* tracepoints.c - functions that hand out the C++ objects of events */
#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/events.h"
#include "xpti/dispatcher/interfaces.h"

static struct xpti_tracepoint *
create(const char *function, const char *file, uint32_t line, uint32_t column)
{
    struct xpti_payload payload = {
        .name = function,
        .file = file,
        .line = line,
        .column = column,
        .flags = XPTI_HAS_LINE | XPTI_HAS_COLUMN,
    };
    struct xpti_event *event =
        xptiMakeEvent(function, &payload, xptiGetDefaultEventType(), XPTI_ACTIVE, NULL);

    return event ? events_get_tracepoint(event->uid) : NULL;
}

/* Older producers pass four arguments. The fifth is not read. */
struct xpti_tracepoint *xptiCreateTracepoint(const char *function,
                                             const char *file,
                                             uint32_t line,
                                             uint32_t column,
                                             const void *code)
{
    (void)code;
    return create(function, file, line, column);
}

struct xpti_tracepoint *xptiRegisterTracepointScope(const char *function,
                                                    const char *file,
                                                    uint32_t line,
                                                    uint32_t column)
{
    struct xpti_tracepoint *tracepoint = xptiGetTracepointScopeData();

    if (tracepoint)
        return tracepoint;
    tracepoint = create(function, file, line, column);
    if (tracepoint)
        xptiSetTracepointScopeData(tracepoint);
    return tracepoint;
}

int32_t xptiDeleteTracepoint(struct xpti_tracepoint *tracepoint)
{
    if (!tracepoint)
        return XPTI_INVALID_ARGUMENT;
    if (xptiGetTracepointScopeData() == tracepoint)
        xptiUnsetTracepointScopeData();
    xptiReleaseEvent(tracepoint->event); /* frees both */
    return XPTI_SUCCESS;
}

struct xpti_payload_view *xptiLookupPayload(uint64_t uid)
{
    struct xpti_tracepoint *tracepoint = events_get_tracepoint(uid);

    return tracepoint ? &tracepoint->payload : NULL;
}

struct xpti_event_view *xptiLookupEvent(uint64_t uid)
{
    struct xpti_tracepoint *tracepoint = events_get_tracepoint(uid);

    return tracepoint ? &tracepoint->view : NULL;
}
