#include "sim/xpti/producer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "sim/xpti/producer_internal.h"

enum { ACTIVE = 1, HAS_ALL = 1 | 2 | 8, BINARY = 0, TEXT = 1 };
enum { FLAGS = 1 }; /* index in `more` of a place */

static const struct stream {
    const char *name;
    unsigned first, last; /* years */
} streams[] = {
    {"sycl", 2020, PROXY_YEAR},
    {"sycl.pi", 2020, 2023},
    {"sycl.pi.debug", 2021, 2023},
    {"sycl.debug", 2025, PROXY_YEAR},
    {"sycl.experimental.buffer", 2022, PROXY_YEAR},
    {"sycl.experimental.image", 2024, PROXY_YEAR},
    {"sycl.experimental.mem_alloc", 2021, PROXY_YEAR},
    {"ur.api", 2024, PROXY_YEAR},
};

static atomic_ullong sent[PRODUCER_TYPES];

void producer_send(uint8_t stream,
                   uint16_t type,
                   struct event *parent,
                   struct event *object,
                   uint64_t instance,
                   const void *user)
{
    if (!proxy_is_open)
        return;
    proxy_get()->notify(stream, type, parent, object, instance, user);
    atomic_fetch_add(&sent[type & (PRODUCER_TYPES - 1)], 1);
}

unsigned long long producer_sent(uint16_t type)
{
    return atomic_load(&sent[type]);
}

struct event *
producer_make(const char *name, uint32_t line, uint16_t event_type, uint64_t *instance)
{
    struct place place = {
        .name = name, .file = "app.cpp", .line = line, .more = {[FLAGS] = HAS_ALL}};

    *instance = 0;
    return proxy_is_open
               ? proxy_get()->make_event(name, &place, event_type, ACTIVE, instance)
               : NULL;
}

static void add_bytes(struct event *event,
                      const char *key,
                      const void *bytes,
                      size_t size,
                      uint8_t type)
{
    if (proxy_is_open && proxy_get()->register_object)
        proxy_get()->add_metadata(event, key,
                                  proxy_get()->register_object(bytes, size, type));
}

void producer_add_text(struct event *event, const char *key, const char *text)
{
    add_bytes(event, key, text, strlen(text), TEXT);
}

void producer_add_bytes(struct event *event,
                        const char *key,
                        const void *bytes,
                        size_t size)
{
    add_bytes(event, key, bytes, size, BINARY);
}

void producer_add_number(struct event *event, const char *key, uint64_t value)
{
    add_bytes(event, key, &value, sizeof(value), BINARY);
}

uint64_t producer_next_id(void)
{
    return proxy_is_open ? proxy_get()->unique_id() : 0;
}

void producer_stash_queue(uint64_t queue)
{
    if (proxy_is_open && proxy_get()->stash)
        proxy_get()->stash("queue_id", queue);
}

void producer_unstash(void)
{
    if (proxy_is_open && proxy_get()->unstash)
        proxy_get()->unstash();
}

static bool is_present(const struct stream *stream, unsigned year)
{
    return stream->first <= year && year <= stream->last;
}

static uint8_t announce(const char *name, uint32_t major, uint32_t minor)
{
    uint8_t number = proxy_get()->register_stream(name);
    char version[32];

    snprintf(version, sizeof(version), "%.4s %u.%u", name, major, minor);
    proxy_get()->initialize(name, major, minor, version);
    return number;
}

/* Returns the number of the debug stream when a tool subscribed to it. */
static uint8_t select_stream(const struct producer *producer, const char *name)
{
    const struct proxy *proxy = proxy_get();
    uint8_t normal = proxy->register_stream(name), debug;
    char debug_name[32];

    if (producer->year < 2025)
        return normal;
    snprintf(debug_name, sizeof(debug_name), "%s.debug", name);
    debug = proxy->register_stream(debug_name);
    return proxy->check_enabled(debug, 0) ? debug : normal;
}

/* Before the debug streams, programs added all metadata. */
static uint8_t select_detail(const struct producer *producer)
{
    const struct proxy *proxy = proxy_get();

    if (producer->year >= 2026)
        return proxy->detail_level(producer->sycl);
    if (producer->year < 2025)
        return VERBOSE;
    return producer->sycl == proxy->register_stream("sycl") ? NORMAL : VERBOSE;
}

static void start_calls(struct producer *producer)
{
    const struct proxy *proxy = proxy_get();
    uint64_t instance;

    if (producer->year < 2024) {
        producer->pi = proxy->register_stream("sycl.pi");
        producer->ur = proxy->register_stream("sycl.pi.debug");
        producer->call =
            producer_make("Plugin interface call", 0, ALGORITHM, &instance);
        return;
    }
    proxy->framework_initialize(); /* a library of its own */
    announce("ur.call", 0, 12);
    if (producer->year >= 2025)
        announce("ur.call.debug", 0, 12);
    producer->ur = select_stream(producer, "ur.call");
    producer->call = producer_make("Unified Runtime call", 0, ALGORITHM, &instance);
}

void producer_start(struct producer *producer, unsigned year)
{
    const struct proxy *proxy = proxy_get();
    uint64_t instance;

    *producer = (struct producer){.year = year};
    if (!proxy_is_open)
        return;
    if (proxy->framework_initialize)
        proxy->framework_initialize();
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        if (is_present(&streams[i], year))
            announce(streams[i].name, 8, 1);
    producer->sycl = select_stream(producer, "sycl");
    producer->detail = select_detail(producer);
    producer->memory = proxy->register_stream("sycl.experimental.mem_alloc");
    producer->buffer = proxy->register_stream("sycl.experimental.buffer");
    producer->image = proxy->register_stream("sycl.experimental.image");
    producer->graph = producer_make("sycl.application.graph", 0, GRAPH, &instance);
    producer_send(producer->sycl, GRAPH_CREATE, NULL, producer->graph, instance, NULL);
    producer->accessor = producer_make("sycl.memory.alloc", 0, ALGORITHM, &instance);
    producer_make("api.function", 0, ALGORITHM, &instance);
    producer_make("sycl.exceptions", 0, ALGORITHM, &instance);
    start_calls(producer);
}

void producer_end(struct producer *producer)
{
    if (!proxy_is_open)
        return;
    if (producer->year >= 2024) {
        proxy_get()->finalize("ur.call"); /* and no other one of that library */
        proxy_get()->framework_finalize();
    }
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        if (is_present(&streams[i], producer->year))
            proxy_get()->finalize(streams[i].name);
    if (proxy_get()->framework_finalize)
        proxy_get()->framework_finalize();
}

void queue_create(struct producer *producer, struct queue *queue, uint64_t id)
{
    uint64_t instance;
    char text[64];

    queue->id = id;
    queue->handle = (const void *)(uintptr_t)(0xca0000 + id);
    queue->place = producer_make("queue", 12, ALGORITHM, &instance);
    if (!proxy_is_open)
        return;
    producer_stash_queue(id);
    producer_add_number(queue->place, "queue_id", id);
    producer_add_text(queue->place, "sycl_device_name", "Simulated GPU");
    snprintf(text, sizeof(text), "queue_create[%p]", queue->handle);
    producer_send(producer->sycl, QUEUE_CREATE, producer->graph, queue->place, id,
                  text);
    producer_unstash();
}

void queue_destroy(struct producer *producer, const struct queue *queue)
{
    producer_send(producer->sycl, QUEUE_DESTROY, producer->graph, queue->place,
                  queue->id, "queue_destroy");
}

void queue_wait(struct producer *producer, const struct queue *queue)
{
    const void *handle = queue->handle;
    const struct call finish = {"urQueueFinish", 97, (const void *const[]){&handle}, 0};
    uint64_t instance = producer_next_id();
    char text[64];

    snprintf(text, sizeof(text), "queue.wait[%p]", queue->handle);
    producer_send(producer->sycl, WAIT_BEGIN, NULL, queue->place, instance, text);
    call_end(producer, &finish, call_begin(producer, &finish));
    producer_send(producer->sycl, WAIT_END, NULL, queue->place, instance, text);
}

void diagnose(struct producer *producer, const char *text)
{
    producer_send(producer->sycl, DIAGNOSTICS, NULL, NULL, producer_next_id(), text);
}
