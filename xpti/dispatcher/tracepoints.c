/* tracepoints.c - objects with the C++ interface that newer producers call
 *
 * Such an object begins with a pointer to a table of functions, in the order in which
 * the C++ compiler places virtual functions: two destructors, then the functions. The
 * interface of payloads has no known order, so its functions return NULL. */
#include <stdlib.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/events.h"

struct metadata_view {
    const struct metadata_functions *functions;
    struct xpti_event *event;
};

struct xpti_event_view {
    const struct event_functions *functions;
    struct xpti_event *event;
    struct metadata_view metadata;
};

struct xpti_tracepoint {
    const struct tracepoint_functions *functions;
    struct xpti_event *event;
    struct xpti_event_view view;
};

struct metadata_functions {
    void (*destroy)(struct metadata_view *view);
    void (*delete_object)(struct metadata_view *view);
    const struct xpti_map_node *(*first)(struct metadata_view *view);
    const struct xpti_map_node *(*next)(struct metadata_view *view,
                                        const struct xpti_map_node *node);
    int32_t (*add)(struct metadata_view *view, const char *key, int32_t value);
    size_t (*count)(const struct metadata_view *view);
};

struct event_functions {
    void (*destroy)(struct xpti_event_view *view);
    void (*delete_object)(struct xpti_event_view *view);
    struct xpti_payload_view *(*payload)(struct xpti_event_view *view);
    struct metadata_view *(*metadata)(struct xpti_event_view *view);
    uint64_t (*uid)(const struct xpti_event_view *view);
    uint64_t (*instance)(const struct xpti_event_view *view);
    uint16_t (*event_type)(const struct xpti_event_view *view);
    uint16_t (*activity)(const struct xpti_event_view *view);
    uint64_t (*source)(const struct xpti_event_view *view);
    uint64_t (*target)(const struct xpti_event_view *view);
    uint64_t (*flags)(const struct xpti_event_view *view);
};

struct tracepoint_functions {
    void (*destroy)(struct xpti_tracepoint *tracepoint);
    void (*delete_object)(struct xpti_tracepoint *tracepoint);
    struct xpti_payload_view *(*payload)(struct xpti_tracepoint *tracepoint);
    struct metadata_view *(*metadata)(struct xpti_tracepoint *tracepoint);
    struct xpti_event_view *(*event)(struct xpti_tracepoint *tracepoint);
    uint64_t (*uid)(const struct xpti_tracepoint *tracepoint);
    uint64_t (*instance)(const struct xpti_tracepoint *tracepoint);
    struct xpti_event *(*event_ref)(struct xpti_tracepoint *tracepoint);
    struct xpti_payload *(*payload_ref)(struct xpti_tracepoint *tracepoint);
};

static const struct xpti_map_node *metadata_first(struct metadata_view *view)
{
    return view->event->metadata.first;
}

static const struct xpti_map_node *metadata_next(struct metadata_view *view,
                                                 const struct xpti_map_node *node)
{
    (void)view;
    return node ? node->next : NULL;
}

static int32_t metadata_put(struct metadata_view *view, const char *key, int32_t value)
{
    return xptiAddMetadata(view->event, key, value);
}

static size_t metadata_count(const struct metadata_view *view)
{
    return view->event->metadata.count;
}

/* The dispatcher owns the objects, so C++ code must not delete them. */
static void keep_metadata(struct metadata_view *view)
{
    (void)view;
}

static const struct metadata_functions metadata_functions = {
    keep_metadata, keep_metadata, metadata_first,
    metadata_next, metadata_put,  metadata_count,
};

static void keep_event(struct xpti_event_view *view)
{
    (void)view;
}

static struct xpti_payload_view *event_payload(struct xpti_event_view *view)
{
    (void)view;
    return NULL;
}

static struct metadata_view *event_metadata(struct xpti_event_view *view)
{
    return &view->metadata;
}

#define GETTER(type, name, member)                                                     \
    static type event_##name(const struct xpti_event_view *view)                       \
    {                                                                                  \
        return view->event->member;                                                    \
    }

GETTER(uint64_t, uid, uid)
GETTER(uint64_t, instance, instance)
GETTER(uint16_t, type, event_type)
GETTER(uint16_t, activity, activity)
GETTER(uint64_t, source, source)
GETTER(uint64_t, target, target)
GETTER(uint64_t, flags, flags)

static const struct event_functions event_functions = {
    keep_event,   keep_event,     event_payload, event_metadata,
    event_uid,    event_instance, event_type,    event_activity,
    event_source, event_target,   event_flags,
};

static void keep_tracepoint(struct xpti_tracepoint *tracepoint)
{
    (void)tracepoint;
}

static struct xpti_payload_view *tracepoint_payload(struct xpti_tracepoint *tracepoint)
{
    (void)tracepoint;
    return NULL;
}

static struct metadata_view *tracepoint_metadata(struct xpti_tracepoint *tracepoint)
{
    return &tracepoint->view.metadata;
}

static struct xpti_event_view *tracepoint_event(struct xpti_tracepoint *tracepoint)
{
    return &tracepoint->view;
}

static uint64_t tracepoint_uid(const struct xpti_tracepoint *tracepoint)
{
    return tracepoint->event->uid;
}

static uint64_t tracepoint_instance(const struct xpti_tracepoint *tracepoint)
{
    return tracepoint->event->instance;
}

static struct xpti_event *event_ref(struct xpti_tracepoint *tracepoint)
{
    return tracepoint->event;
}

static struct xpti_payload *payload_ref(struct xpti_tracepoint *tracepoint)
{
    return tracepoint->event->payload;
}

static const struct tracepoint_functions tracepoint_functions = {
    keep_tracepoint,     keep_tracepoint,  tracepoint_payload,
    tracepoint_metadata, tracepoint_event, tracepoint_uid,
    tracepoint_instance, event_ref,        payload_ref,
};

static void init_view(struct xpti_event_view *view, struct xpti_event *event)
{
    view->functions = &event_functions;
    view->event = event;
    view->metadata = (struct metadata_view){&metadata_functions, event};
}

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
    struct xpti_tracepoint *tracepoint = calloc(1, sizeof(*tracepoint));

    if (!tracepoint)
        return NULL;
    tracepoint->functions = &tracepoint_functions;
    tracepoint->event =
        xptiMakeEvent(function, &payload, xptiGetDefaultEventType(), XPTI_ACTIVE, NULL);
    if (!tracepoint->event) {
        free(tracepoint);
        return NULL;
    }
    init_view(&tracepoint->view, tracepoint->event);
    events_set_tracepoint(tracepoint->event, tracepoint);
    return tracepoint;
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
    (void)uid;
    return NULL;
}

struct xpti_event_view *xptiLookupEvent(uint64_t uid)
{
    struct xpti_tracepoint *tracepoint = events_get_tracepoint(uid);

    return tracepoint ? &tracepoint->view : NULL;
}
