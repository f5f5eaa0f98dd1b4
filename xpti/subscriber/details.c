#include "xpti/subscriber/details.h"

#include <stdlib.h>
#include <string.h>

#include "lib/capture/format/records.h"
#include "xpti/abi/abi.h"
#include "xpti/subscriber/dispatcher_calls.h"
#include "xpti/subscriber/text_numbers.h"

/* Numbers of the oldest producers. Those of memory are others on other streams. */
static const struct {
    uint16_t old, now;
    bool only_memory;
} renumbered[] = {
    {XPTI_CALL_END_2021, XPTI_CALL_END, false},
    {35, XPTI_ALLOC_END, true},
    {36, XPTI_RELEASE_BEGIN, true},
    {39, XPTI_RELEASE_END, true},
};

uint16_t details_type(uint16_t type, enum stream_kind kind)
{
    if (dispatcher_calls_generation() != XPTI_2021)
        return type;
    for (size_t i = 0; i < sizeof(renumbered) / sizeof(renumbered[0]); i++)
        if (renumbered[i].old == type &&
            (!renumbered[i].only_memory || kind == STREAM_MEMORY))
            return renumbered[i].now;
    return type;
}

const char *details_text(uint16_t type, const void *user, size_t *length)
{
    const char *text = NULL;

    switch (type) {
    case XPTI_CALL_BEGIN:
    case XPTI_CALL_END:
        text = user ? ((const struct xpti_call *)user)->name : NULL;
        break;
    case XPTI_NODE_CREATE: /* "kind[address]" */
    case XPTI_QUEUE_CREATE:
    case XPTI_WAIT_BEGIN:
    case XPTI_WAIT_END:
        text = user;
        *length = text ? strcspn(text, "[") : 0;
        return text && *length < TEXT_MAX ? text : NULL;
    case XPTI_FUNCTION_BEGIN:
    case XPTI_FUNCTION_END:
    case XPTI_BARRIER_BEGIN:
    case XPTI_BARRIER_END:
    case XPTI_QUEUE_DESTROY:
    case XPTI_DIAGNOSTICS:
        text = user;
        break;
    default:
        break;
    }
    *length = text ? text_length(text) : 0;
    return text;
}

/* Returns the address in a text "kind[0x1234]", or 0. */
static uint64_t address_in(const char *text)
{
    const char *bracket = text ? strchr(text, '[') : NULL;

    return bracket ? strtoull(bracket + 1, NULL, 16) : 0;
}

static uint64_t load_handle(const void *address)
{
    uint64_t handle = 0;

    if (address)
        memcpy(&handle, address, sizeof(handle));
    return handle;
}

/* Returns the queue of a call: its first parameter. A new queue is known at the end. */
static uint64_t queue_of_call(const struct xpti_call *call)
{
    if (!call->args || !call->name)
        return 0;
    if (strcmp(call->name, "urQueueCreate") == 0) {
        uint64_t out =
            call->result && *call->result == 0 ? load_handle(call->args[3]) : 0;

        return load_handle((const void *)(uintptr_t)out);
    }
    if (strncmp(call->name, "urEnqueue", strlen("urEnqueue")) == 0 ||
        strncmp(call->name, "urQueue", strlen("urQueue")) == 0)
        return load_handle(call->args[0]);
    return 0;
}

static void fill_call(struct record_xpti_event *event, const struct xpti_call *call)
{
    event->target = call->function;
    event->value = queue_of_call(call);
    event->result = call->result ? *call->result : 0;
}

static void fill_memory(struct record_xpti_event *event,
                        const struct xpti_memory *memory)
{
    event->value = memory->address;
    event->size = memory->size;
    event->target = memory->object;
}

static uint64_t count_elements(const uint64_t range[3], uint32_t dimensions)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < dimensions && i < 3; i++)
        count *= range[i];
    return count;
}

static void fill_buffer(struct record_xpti_event *event,
                        const struct xpti_buffer *buffer)
{
    event->value = buffer->user;
    event->target = buffer->host;
    event->size =
        count_elements(buffer->range, buffer->dimensions) * buffer->element_size;
}

/* The size of an element depends on the format, so the elements are counted. */
static void fill_image(struct record_xpti_event *event, const struct xpti_image *image)
{
    event->value = image->user;
    event->target = image->host;
    event->size = count_elements(image->range, image->dimensions);
}

static void fill_accessor(struct record_xpti_event *event,
                          const struct xpti_accessor *accessor)
{
    event->value = accessor->buffer;
    event->target = accessor->accessor;
    event->size = (uint64_t)accessor->target << 32 | accessor->mode;
}

static void fill_pair(struct record_xpti_event *event, const uint64_t pair[2])
{
    event->value = pair[0];
    event->target = pair[1];
}

void details_fill(struct record_xpti_event *event,
                  uint16_t type,
                  enum stream_kind kind,
                  const void *user)
{
    if (!user)
        return;
    switch (type) {
    case XPTI_CALL_BEGIN:
    case XPTI_CALL_END:
        fill_call(event, user);
        break;
    case XPTI_ALLOC_BEGIN:
    case XPTI_ALLOC_END:
    case XPTI_RELEASE_BEGIN:
    case XPTI_RELEASE_END:
        fill_memory(event, user);
        break;
    case XPTI_OFFLOAD_CONSTRUCT:
        if (kind == STREAM_IMAGE)
            fill_image(event, user);
        else
            fill_buffer(event, user);
        break;
    case XPTI_OFFLOAD_ACCESSOR:
        if (kind == STREAM_IMAGE) /* image and accessor, then optional members */
            fill_pair(event, user);
        else
            fill_accessor(event, user);
        break;
    case XPTI_OFFLOAD_ASSOCIATE:
    case XPTI_OFFLOAD_RELEASE:
        fill_pair(event, user);
        break;
    case XPTI_OFFLOAD_DESTRUCT: /* begins with the handle of the user */
        event->value = load_handle(user);
        break;
    case XPTI_SIGNAL:
        event->value = (uintptr_t)user;
        break;
    case XPTI_NODE_CREATE:
    case XPTI_QUEUE_CREATE:
    case XPTI_WAIT_BEGIN:
    case XPTI_WAIT_END:
        event->value = address_in(user);
        break;
    default:
        break;
    }
}

/* The stash is never cleared, so it is only read in events that create something. */
uint64_t details_queue(void)
{
    const struct dispatcher_calls *calls = dispatcher_calls_get();
    uint64_t queue = 0;
    char *key = NULL;

    if (!calls->get_stashed || calls->get_stashed(&key, &queue) != XPTI_SUCCESS ||
        !key || strcmp(key, "queue_id") != 0)
        return 0;
    return queue;
}
