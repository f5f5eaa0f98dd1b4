/* calls.c - calls of Unified Runtime, or of a plugin, with their arguments */
#include "sim/xpti/producer_internal.h"

/* The argument of a notification. */
struct call_data {
    uint32_t function;
    const char *name;
    const void *const *args;
    const int32_t *result;
    const void *extra;
};

enum { FIRST_QUEUE = 0xcb0001 };

static void send_call(struct producer *producer,
                      const struct call *call,
                      const int32_t *result,
                      uint64_t instance)
{
    const struct call_data data = {
        .function = call->function,
        .name = call->name,
        .args = call->args,
        .result = result,
    };
    uint16_t type = CALL_BEGIN;

    if (producer->pi)
        producer_send(producer->pi, result ? FUNCTION_END : FUNCTION_BEGIN, NULL, NULL,
                      instance, call->name);
    if (result)
        type = producer->year < 2023 ? CALL_END_2021 : CALL_END;
    producer_send(producer->ur, type, NULL, producer->call, instance, &data);
}

uint64_t call_begin(struct producer *producer, const struct call *call)
{
    uint64_t instance = producer_next_id();

    send_call(producer, call, NULL, instance);
    return instance;
}

void call_end(struct producer *producer, const struct call *call, uint64_t instance)
{
    send_call(producer, call, &call->result, instance);
}

static void call_once(struct producer *producer, const struct call *call)
{
    call_end(producer, call, call_begin(producer, call));
}

/* For each list the program requests its length, then its elements. */
void calls_of_listing(struct producer *producer)
{
    static const struct call calls[] = {
        {"urAdapterGet", 178, NULL, 0},
        {"urAdapterGet", 178, NULL, 0},
        {"urPlatformGet", 67, NULL, 0},
        {"urPlatformGet", 67, NULL, 0},
        {"urPlatformGetApiVersion", 70, NULL, 0},
        {"urDeviceGet", 8, NULL, 0},
        {"urDeviceGet", 8, NULL, 0},
        {"urDeviceGetInfo", 9, NULL, 0},
        {"urDeviceGetInfo", 9, NULL, 0},
        {"urAdapterRelease", 179, NULL, 0},
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        call_once(producer, &calls[i]);
}

/* The new queue is in an out parameter, and known when the call ends. */
static void create_queue(struct producer *producer, const void **queue)
{
    const void *context = (const void *)0xc0, *device = (const void *)0xd0;
    const void *properties = NULL, **out = queue;
    const struct call call = {
        "urQueueCreate", 92,
        (const void *const[]){&context, &device, &properties, &out}, 0};
    uint64_t instance = call_begin(producer, &call);
    static uintptr_t next = FIRST_QUEUE;

    *queue = (const void *)next++;
    call_end(producer, &call, instance);
}

void calls_of_copies(struct producer *producer, unsigned copies)
{
    const void *queues[2] = {NULL, NULL};

    for (unsigned i = 0; i < 2; i++)
        create_queue(producer, &queues[i]);
    for (unsigned i = 0; i < copies; i++)
        call_once(producer, &(struct call){"urEnqueueUSMMemcpy", 33,
                                           (const void *const[]){&queues[i % 2]}, 0});
    for (unsigned i = 0; i < 2; i++) {
        const void *const args[] = {&queues[i]};

        call_once(producer, &(struct call){"urQueueFinish", 97, args, 0});
        /* a failed call is reported, too */
        call_once(producer, &(struct call){"urQueueRelease", 94, args, (int32_t)i});
    }
}
