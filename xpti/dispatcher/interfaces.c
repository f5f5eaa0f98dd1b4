#include "xpti/dispatcher/interfaces.h"

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/metadata.h"
#include "xpti/dispatcher/state_lock.h"

#define MEMBER(view, name)                                                             \
    ((struct xpti_tracepoint *)((char *)(view)-offsetof(struct xpti_tracepoint, name)))

struct payload_functions {
    void (*destroy)(struct xpti_payload_view *view);
    void (*delete_object)(struct xpti_payload_view *view);
    const char *(*name)(const struct xpti_payload_view *view);
    const char *(*file)(const struct xpti_payload_view *view);
    uint32_t (*line)(const struct xpti_payload_view *view);
    uint32_t (*column)(const struct xpti_payload_view *view);
    uint64_t (*flags)(const struct xpti_payload_view *view);
    int32_t (*name_number)(const struct xpti_payload_view *view);
    int32_t (*file_number)(const struct xpti_payload_view *view);
    uint64_t (*uid)(const struct xpti_payload_view *view);
    bool (*is_valid)(const struct xpti_payload_view *view);
    struct xpti_payload *(*payload_ref)(struct xpti_payload_view *view);
};

struct metadata_functions {
    void (*destroy)(struct xpti_metadata_view *view);
    void (*delete_object)(struct xpti_metadata_view *view);
    int32_t (*first_item)(struct xpti_metadata_view *view, char **key, int32_t *value);
    int32_t (*next_item)(struct xpti_metadata_view *view, char **key, int32_t *value);
    int32_t (*add_item)(struct xpti_metadata_view *view,
                        const char *key,
                        int32_t value);
    size_t (*count)(struct xpti_metadata_view *view);
};

struct event_functions {
    void (*destroy)(struct xpti_event_view *view);
    void (*delete_object)(struct xpti_event_view *view);
    struct xpti_payload_view *(*payload)(struct xpti_event_view *view);
    struct xpti_metadata_view *(*metadata)(struct xpti_event_view *view);
    uint64_t (*uid)(const struct xpti_event_view *view);
    uint64_t (*instance)(const struct xpti_event_view *view);
    uint16_t (*event_type)(const struct xpti_event_view *view);
    uint16_t (*activity)(const struct xpti_event_view *view);
    uint64_t (*source)(const struct xpti_event_view *view);
    uint64_t (*target)(const struct xpti_event_view *view);
    uint64_t (*flags)(const struct xpti_event_view *view);
    void (*set_activity)(struct xpti_event_view *view, int activity);
    void (*set_event_type)(struct xpti_event_view *view, uint16_t type);
    struct xpti_payload *(*payload_ref)(struct xpti_event_view *view);
    struct xpti_event *(*event_ref)(struct xpti_event_view *view);
};

struct tracepoint_functions {
    void (*destroy)(struct xpti_tracepoint *tracepoint);
    void (*delete_object)(struct xpti_tracepoint *tracepoint);
    struct xpti_payload_view *(*payload)(struct xpti_tracepoint *tracepoint);
    struct xpti_metadata_view *(*metadata)(struct xpti_tracepoint *tracepoint);
    struct xpti_event_view *(*event)(struct xpti_tracepoint *tracepoint);
    uint64_t (*uid)(const struct xpti_tracepoint *tracepoint);
    uint64_t (*instance)(const struct xpti_tracepoint *tracepoint);
    struct xpti_event *(*event_ref)(struct xpti_tracepoint *tracepoint);
    struct xpti_payload *(*payload_ref)(struct xpti_tracepoint *tracepoint);
};

/* The dispatcher owns the objects, so C++ code must not delete them. */
#define KEEP(view)                                                                     \
    static void keep_##view(struct view *object)                                       \
    {                                                                                  \
        (void)object;                                                                  \
    }

KEEP(xpti_payload_view)
KEEP(xpti_metadata_view)
KEEP(xpti_event_view)
KEEP(xpti_tracepoint)

/* A function that returns a value of the object. */
#define GETTER(view, type, name, value)                                                \
    static type name(const struct view *is)                                            \
    {                                                                                  \
        return value;                                                                  \
    }

GETTER(xpti_payload_view, const char *, payload_name, is->event->payload->name)
GETTER(xpti_payload_view, const char *, payload_file, is->event->payload->file)
GETTER(xpti_payload_view, uint32_t, payload_line, is->event->payload->line)
GETTER(xpti_payload_view, uint32_t, payload_column, is->event->payload->column)
GETTER(xpti_payload_view, uint64_t, payload_flags, is->event->payload->flags)
GETTER(xpti_payload_view,
       int32_t,
       payload_name_number,
       (int32_t)(uint32_t)is->event->payload->p2)
GETTER(xpti_payload_view,
       int32_t,
       payload_file_number,
       (int32_t)(is->event->payload->p1 >> 32))
GETTER(xpti_payload_view, uint64_t, payload_uid, is->event->uid)
GETTER(xpti_payload_view, bool, payload_is_valid, is->event->payload->flags != 0)

static struct xpti_payload *payload_ref(struct xpti_payload_view *view)
{
    return view->event->payload;
}

static const struct payload_functions payload_functions = {
    keep_xpti_payload_view, keep_xpti_payload_view,
    payload_name,           payload_file,
    payload_line,           payload_column,
    payload_flags,          payload_name_number,
    payload_file_number,    payload_uid,
    payload_is_valid,       payload_ref,
};

static int32_t metadata_take(struct xpti_metadata_view *view,
                             const struct xpti_map_node *node,
                             char **key,
                             int32_t *value)
{
    if (!node)
        return XPTI_FALSE;
    view->last = node;
    if (key)
        *key = (char *)xptiLookupString(node->key);
    if (value)
        *value = node->value;
    return XPTI_SUCCESS;
}

static int32_t
metadata_first(struct xpti_metadata_view *view, char **key, int32_t *value)
{
    return metadata_take(view, view->event->metadata.first, key, value);
}

static int32_t
metadata_next(struct xpti_metadata_view *view, char **key, int32_t *value)
{
    return metadata_take(view, view->last ? view->last->next : NULL, key, value);
}

static int32_t
metadata_put(struct xpti_metadata_view *view, const char *key, int32_t value)
{
    int32_t result;

    if (!key || value < 1)
        return XPTI_INVALID_ARGUMENT;
    if (!state_lock())
        return XPTI_FAIL;
    result = metadata_set(&view->event->metadata, key, value);
    state_unlock();
    return result;
}

static size_t metadata_count(struct xpti_metadata_view *view)
{
    return view->event->metadata.count;
}

static const struct metadata_functions metadata_functions = {
    keep_xpti_metadata_view,
    keep_xpti_metadata_view,
    metadata_first,
    metadata_next,
    metadata_put,
    metadata_count,
};

static struct xpti_payload_view *event_payload(struct xpti_event_view *view)
{
    return &MEMBER(view, view)->payload;
}

static struct xpti_metadata_view *event_metadata(struct xpti_event_view *view)
{
    return &MEMBER(view, view)->metadata;
}

GETTER(xpti_event_view, uint64_t, event_uid, is->event->uid)
GETTER(xpti_event_view, uint64_t, event_instance, is->event->instance)
GETTER(xpti_event_view, uint16_t, event_type, is->event->event_type)
GETTER(xpti_event_view, uint16_t, event_activity, is->event->activity)
GETTER(xpti_event_view, uint64_t, event_source, is->event->source)
GETTER(xpti_event_view, uint64_t, event_target, is->event->target)
GETTER(xpti_event_view, uint64_t, event_flags, is->event->flags)

static void event_set_activity(struct xpti_event_view *view, int activity)
{
    view->event->activity = (uint16_t)activity;
}

static void event_set_type(struct xpti_event_view *view, uint16_t type)
{
    view->event->event_type = type;
}

static struct xpti_payload *event_payload_ref(struct xpti_event_view *view)
{
    return view->event->payload;
}

static struct xpti_event *event_event_ref(struct xpti_event_view *view)
{
    return view->event;
}

static const struct event_functions event_functions = {
    keep_xpti_event_view,
    keep_xpti_event_view,
    event_payload,
    event_metadata,
    event_uid,
    event_instance,
    event_type,
    event_activity,
    event_source,
    event_target,
    event_flags,
    event_set_activity,
    event_set_type,
    event_payload_ref,
    event_event_ref,
};

static struct xpti_payload_view *tracepoint_payload(struct xpti_tracepoint *tracepoint)
{
    return &tracepoint->payload;
}

static struct xpti_metadata_view *
tracepoint_metadata(struct xpti_tracepoint *tracepoint)
{
    return &tracepoint->metadata;
}

static struct xpti_event_view *tracepoint_event(struct xpti_tracepoint *tracepoint)
{
    return &tracepoint->view;
}

GETTER(xpti_tracepoint, uint64_t, tracepoint_uid, is->event->uid)
GETTER(xpti_tracepoint, uint64_t, tracepoint_instance, is->event->instance)

static struct xpti_event *event_ref(struct xpti_tracepoint *tracepoint)
{
    return tracepoint->event;
}

static struct xpti_payload *tracepoint_payload_ref(struct xpti_tracepoint *tracepoint)
{
    return tracepoint->event->payload;
}

static const struct tracepoint_functions tracepoint_functions = {
    keep_xpti_tracepoint,   keep_xpti_tracepoint,
    tracepoint_payload,     tracepoint_metadata,
    tracepoint_event,       tracepoint_uid,
    tracepoint_instance,    event_ref,
    tracepoint_payload_ref,
};

void interfaces_init(struct xpti_tracepoint *tracepoint, struct xpti_event *event)
{
    *tracepoint = (struct xpti_tracepoint){
        .functions = &tracepoint_functions,
        .event = event,
        .view = {&event_functions, event},
        .payload = {&payload_functions, event},
        .metadata = {&metadata_functions, event, NULL},
    };
}
