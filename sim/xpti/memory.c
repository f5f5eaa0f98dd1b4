/* memory.c - memory blocks, buffers and images of the runtime */
#include "sim/xpti/producer_internal.h"

struct memory {
    uint64_t object, address, size, guard, reserved;
};

struct buffer {
    uint64_t user, host;
    const char *element;
    uint32_t element_size, dimensions;
    uint64_t range[3];
};

struct image {
    uint64_t user, host;
    uint32_t dimensions;
    uint64_t range[3];
    uint32_t format;
    uint32_t optional[6];
};

struct accessor {
    uint64_t object, accessor;
    uint32_t target, mode;
};

struct association {
    uint64_t user, platform;
};

/* Programs of 2021 have other numbers than today's. */
static uint16_t today_or(const struct producer *producer, uint16_t today, uint16_t old)
{
    return producer->year < 2023 ? old : today;
}

void memory_allocate(struct producer *producer, uint64_t address, uint64_t size)
{
    const struct memory memory = {.address = address, .size = size};
    uint64_t instance = producer_next_id();

    producer_send(producer->memory, ALLOC_BEGIN, NULL, NULL, instance, &memory);
    producer_send(producer->memory, today_or(producer, ALLOC_END, ALLOC_END_2021), NULL,
                  NULL, instance, &memory);
}

void memory_release(struct producer *producer, uint64_t address)
{
    const struct memory memory = {.address = address};
    uint64_t instance = producer_next_id();

    producer_send(producer->memory,
                  today_or(producer, RELEASE_BEGIN, RELEASE_BEGIN_2021), NULL, NULL,
                  instance, &memory);
    producer_send(producer->memory, today_or(producer, RELEASE_END, RELEASE_END_2021),
                  NULL, NULL, instance, &memory);
}

static void send_object(struct producer *producer,
                        uint8_t stream,
                        uint64_t handle,
                        const void *construct)
{
    const struct association association = {handle, handle + 0x100};
    const struct accessor accessor = {handle, handle + 0x200, 2014, 1026};
    struct event *object = producer->accessor;

    producer_send(stream, OBJECT_CONSTRUCT, NULL, object, producer_next_id(),
                  construct);
    producer_send(stream, OBJECT_ASSOCIATE, NULL, object, producer_next_id(),
                  &association);
    producer_send(stream, ACCESSOR, NULL, object, producer_next_id(), &accessor);
    producer_send(stream, OBJECT_RELEASE, NULL, object, producer_next_id(),
                  &association);
    producer_send(stream, OBJECT_DESTRUCT, NULL, object, producer_next_id(), construct);
}

void memory_objects(struct producer *producer, uint64_t handle)
{
    const struct buffer buffer = {
        .user = handle,
        .host = handle + 0x300,
        .element = "int",
        .element_size = 4,
        .dimensions = 2,
        .range = {3, 2, 7}, /* the last one is unused */
    };
    const struct image image = {
        .user = handle + 0x400,
        .host = handle + 0x700,
        .dimensions = 2,
        .range = {4, 5, 7},
        .format = 4,
    };

    send_object(producer, producer->buffer, handle, &buffer);
    send_object(producer, producer->image, handle + 0x400, &image);
}
