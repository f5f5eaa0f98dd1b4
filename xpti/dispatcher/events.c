#include "xpti/dispatcher/events.h"

#include <stdlib.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/hash_map.h"
#include "xpti/dispatcher/interfaces.h"
#include "xpti/dispatcher/metadata.h"
#include "xpti/dispatcher/places.h"
#include "xpti/dispatcher/state_lock.h"

struct stored_event {
    struct hash_entry entry; /* first */
    struct xpti_event event;
    struct xpti_tracepoint tracepoint;
};

static struct hash_map events;

static bool is_event(const struct hash_entry *entry, const void *event)
{
    return &((const struct stored_event *)entry)->event == event;
}

static struct hash_entry *find(const struct xpti_event *event)
{
    return hash_map_find(&events, hash_number((uintptr_t)event), is_event, event);
}

static struct xpti_event *
add(struct xpti_payload *payload, uint16_t event_type, int activity, uint64_t instance)
{
    struct stored_event *stored = calloc(1, sizeof(*stored));
    struct xpti_event *event;

    if (!stored)
        return NULL;
    event = &stored->event;
    stored->entry.hash = hash_number((uintptr_t)event);
    if (!hash_map_add(&events, &stored->entry)) {
        free(stored);
        return NULL;
    }
    event->uid = (uintptr_t)event;
    event->instance = instance;
    event->event_type = event_type;
    event->activity = (uint16_t)activity;
    event->payload = payload;
    event->flags =
        XPTI_HAS_UID | XPTI_HAS_EVENT_TYPE | XPTI_HAS_ACTIVITY | XPTI_HAS_PAYLOAD;
    metadata_init(&event->metadata);
    interfaces_init(&stored->tracepoint, event);
    return event;
}

struct xpti_event *xptiMakeEvent(const char *name,
                                 struct xpti_payload *payload,
                                 uint16_t event_type,
                                 int activity,
                                 uint64_t *instance)
{
    struct xpti_event *event = NULL;
    struct xpti_payload *place, own = {.name = name};
    uint64_t number;

    if (!state_lock())
        return NULL;
    if (payload && (payload->name || payload->file))
        own = *payload;
    place = places_find(&own, &number);
    if (place)
        event = add(place, event_type, activity, number);
    state_unlock();
    if (event && instance)
        *instance = number;
    return event;
}

const struct xpti_event *xptiFindEvent(uint64_t uid)
{
    const struct xpti_event *event = (const struct xpti_event *)(uintptr_t)uid;
    bool found;

    if (!state_lock())
        return NULL;
    found = find(event) != NULL;
    state_unlock();
    return found ? event : NULL;
}

const struct xpti_payload *xptiQueryPayload(struct xpti_event *event)
{
    return event ? event->payload : NULL;
}

/* Takes the number of an event and that of a registered payload. */
const struct xpti_payload *xptiQueryPayloadByUID(uint64_t uid)
{
    const struct xpti_event *event = (const struct xpti_event *)(uintptr_t)uid;
    const struct xpti_payload *payload;

    if (!state_lock())
        return NULL;
    payload = find(event) ? event->payload : places_get(uid);
    state_unlock();
    return payload;
}

static void drop(struct hash_entry *entry)
{
    struct stored_event *stored = (struct stored_event *)entry;

    metadata_clear(&stored->event.metadata);
    free(stored);
}

void xptiReleaseEvent(struct xpti_event *event)
{
    struct hash_entry *entry;

    if (!state_lock())
        return;
    entry = find(event);
    if (entry) {
        hash_map_remove(&events, entry);
        drop(entry);
    }
    state_unlock();
}

int32_t xptiAddMetadata(struct xpti_event *event, const char *key, int32_t value)
{
    int32_t result = XPTI_INVALID_ARGUMENT;

    if (!event || !key || value < 1)
        return XPTI_INVALID_ARGUMENT;
    if (!state_lock())
        return XPTI_FAIL;
    if (find(event))
        result = metadata_add(&event->metadata, key, value);
    state_unlock();
    return result;
}

struct xpti_map *xptiQueryMetadata(struct xpti_event *event)
{
    return event ? &event->metadata : NULL;
}

struct xpti_tracepoint *events_get_tracepoint(uint64_t uid)
{
    struct hash_entry *entry;

    if (!state_lock())
        return NULL;
    entry = find((const struct xpti_event *)(uintptr_t)uid);
    state_unlock();
    return entry ? &((struct stored_event *)entry)->tracepoint : NULL;
}

void events_reset(void)
{
    hash_map_clear(&events, drop);
}
