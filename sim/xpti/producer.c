#include "sim/xpti/producer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    GRAPH_CREATE = 2,
    NODE_CREATE = 4,
    EDGE_CREATE = 6,
    TASK_BEGIN = 10,
    TASK_END = 11,
    SIGNAL = 16,
    WAIT_BEGIN = 22,
    WAIT_END = 23,
    CALL_BEGIN = 28,
    CALL_END = 29,
    ALLOC_BEGIN = 32,
    ALLOC_END = 33,
    RELEASE_BEGIN = 34,
    RELEASE_END = 35,
    QUEUE_CREATE = 42,
    QUEUE_DESTROY = 43,
    DIAGNOSTICS = 126,
};
enum { GRAPH = 1, ALGORITHM = 2, OFFLOAD_WRITE = 8, ACTIVE = 1, HAS_ALL = 1 | 2 | 8 };
enum { BINARY = 0, TEXT = 1 };
enum { FLAGS = 1 }; /* index in `more` of a place */

struct call {
    uint32_t function;
    const char *name;
    const void *const *args;
    const int32_t *result;
    const void *extra;
};

struct memory {
    uint64_t object, address, size, guard, reserved;
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

static struct event *
make(const char *name, uint32_t line, uint16_t event_type, uint64_t *instance)
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
    if (proxy_is_open)
        proxy_get()->add_metadata(event, key,
                                  proxy_get()->register_object(bytes, size, type));
}

static void add_text(struct event *event, const char *key, const char *text)
{
    add_bytes(event, key, text, strlen(text), TEXT);
}

static void add_number(struct event *event, const char *key, uint64_t value)
{
    add_bytes(event, key, &value, sizeof(value), BINARY);
}

static uint64_t next_id(void)
{
    return proxy_is_open ? proxy_get()->unique_id() : 0;
}

void producer_start(struct producer *producer)
{
    static const char *const more[] = {"sycl.experimental.buffer",
                                       "sycl.experimental.image", "ur.api"};
    const struct proxy *proxy = proxy_get();
    uint64_t instance;

    memset(producer, 0, sizeof(*producer));
    if (!proxy_is_open)
        return;
    proxy->framework_initialize();
    producer->sycl = proxy->register_stream("sycl");
    proxy->initialize("sycl", 8, 1, "sycl 8.1");
    producer->memory = proxy->register_stream("sycl.experimental.mem_alloc");
    proxy->initialize("sycl.experimental.mem_alloc", 8, 1, "sycl 8.1");
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        proxy->register_stream(more[i]);
        proxy->initialize(more[i], 8, 1, "sycl 8.1");
    }
    producer->graph = make("sycl.application.graph", 0, GRAPH, &instance);
    producer_send(producer->sycl, GRAPH_CREATE, NULL, producer->graph, instance, NULL);
    proxy->framework_initialize();
    producer->ur = proxy->register_stream("ur.call");
    proxy->initialize("ur.call", 0, 12, "ur 0.12");
    producer->call = make("Unified Runtime call", 0, ALGORITHM, &instance);
}

void producer_end(struct producer *producer)
{
    static const char *const streams[] = {"sycl", "sycl.experimental.mem_alloc",
                                          "sycl.experimental.buffer",
                                          "sycl.experimental.image", "ur.api"};

    (void)producer;
    if (!proxy_is_open)
        return;
    proxy_get()->finalize("ur.call");
    proxy_get()->framework_finalize();
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        proxy_get()->finalize(streams[i]);
    proxy_get()->framework_finalize();
}

void queue_create(struct producer *producer, struct queue *queue, uint64_t id)
{
    uint64_t instance;
    char text[64];

    queue->id = id;
    queue->handle = (const void *)(uintptr_t)(0xca0000 + id);
    queue->place = make("queue", 12, ALGORITHM, &instance);
    if (!proxy_is_open)
        return;
    proxy_get()->stash("queue_id", id);
    add_number(queue->place, "queue_id", id);
    add_text(queue->place, "sycl_device_name", "Simulated GPU");
    snprintf(text, sizeof(text), "queue_create[%p]", queue->handle);
    producer_send(producer->sycl, QUEUE_CREATE, producer->graph, queue->place, id,
                  text);
    proxy_get()->unstash();
}

void queue_destroy(struct producer *producer, const struct queue *queue)
{
    producer_send(producer->sycl, QUEUE_DESTROY, producer->graph, queue->place,
                  queue->id, "queue_destroy");
}

/* Sends the begin of a call. The name's first parameter is the queue. */
static uint64_t
call_begin(struct producer *producer, const struct queue *queue, const char *name)
{
    const void *handle = queue->handle;
    const void *args[] = {&handle};
    const struct call call = {.function = 295, .name = name, .args = args};
    uint64_t instance = next_id();

    producer_send(producer->ur, CALL_BEGIN, NULL, producer->call, instance, &call);
    return instance;
}

static void call_end(struct producer *producer,
                     const struct queue *queue,
                     const char *name,
                     uint64_t instance)
{
    const void *handle = queue->handle;
    const void *args[] = {&handle};
    const int32_t result = 0;
    const struct call call = {
        .function = 295, .name = name, .args = args, .result = &result};

    producer_send(producer->ur, CALL_END, NULL, producer->call, instance, &call);
}

void queue_wait(struct producer *producer, const struct queue *queue)
{
    uint64_t instance = next_id(), call;
    char text[64];

    snprintf(text, sizeof(text), "queue.wait[%p]", queue->handle);
    producer_send(producer->sycl, WAIT_BEGIN, NULL, queue->place, instance, text);
    call = call_begin(producer, queue, "urQueueFinish");
    call_end(producer, queue, "urQueueFinish", call);
    producer_send(producer->sycl, WAIT_END, NULL, queue->place, instance, text);
}

static void node_create(struct producer *producer,
                        struct node *node,
                        const struct queue *queue,
                        const char *kind)
{
    char text[80];

    if (!proxy_is_open)
        return;
    add_text(node->event, "sycl_device_type", "GPU");
    add_text(node->event, "sycl_device_name", "Simulated GPU");
    snprintf(text, sizeof(text), "%s[%p]", kind, (void *)node->event);
    proxy_get()->stash("queue_id", queue->id);
    producer_send(producer->sycl, NODE_CREATE, producer->graph, node->event,
                  node->instance, text);
    proxy_get()->unstash();
}

void node_allocation(struct producer *producer,
                     struct node *node,
                     const struct queue *queue,
                     uint32_t line)
{
    node->event = make("Alloca", line, ALGORITHM, &node->instance);
    add_number(node->event, "memory_object", 0xb0ff);
    node_create(producer, node, queue, "memory_allocation_node");
}

void node_transfer(struct producer *producer,
                   struct node *node,
                   const struct queue *queue,
                   uint64_t bytes)
{
    node->event = make("Transfer", 30, OFFLOAD_WRITE, &node->instance);
    add_number(node->event, "memory_object", 0xb0ff);
    add_number(node->event, "memory_size", bytes);
    add_text(node->event, "copy_from", "HOST");
    add_text(node->event, "copy_to", "Simulated GPU");
    node_create(producer, node, queue, "memory_transfer_node");
}

void node_kernel(struct producer *producer,
                 struct node *node,
                 const struct queue *queue,
                 const char *kernel,
                 uint32_t line)
{
    node->event = make(kernel, line, ALGORITHM, &node->instance);
    add_text(node->event, "kernel_name", kernel);
    node_create(producer, node, queue, "command_group_node");
}

void node_release(struct node *node)
{
    if (proxy_is_open)
        proxy_get()->release_event(node->event);
    node->event = NULL;
}

void edge_create(struct producer *producer,
                 const struct node *from,
                 const struct node *to)
{
    uint64_t instance;
    struct event *edge = make("edge", 0, ALGORITHM, &instance);

    if (!edge)
        return;
    edge->source = from->event->uid;
    edge->target = to->event->uid;
    add_text(edge, "access_mode", "read_write");
    add_number(edge, "memory_object", 0xb0ff);
    producer_send(producer->sycl, EDGE_CREATE, producer->graph, edge, instance, NULL);
    proxy_get()->release_event(edge);
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void call_nested(struct producer *producer,
                        const struct queue *queue,
                        const char *const *calls,
                        size_t call_count)
{
    uint64_t instance;

    if (call_count == 0)
        return;
    instance = call_begin(producer, queue, calls[0]);
    call_nested(producer, queue, calls + 1, call_count - 1);
    call_end(producer, queue, calls[0], instance);
}

void task_run(struct producer *producer,
              const struct node *node,
              const struct queue *queue,
              const char *const *calls,
              size_t call_count,
              uint64_t microseconds)
{
    uint64_t instance = next_id(), start = now_us();

    producer_send(producer->sycl, TASK_BEGIN, producer->graph, node->event, instance,
                  NULL);
    call_nested(producer, queue, calls, call_count);
    while (now_us() - start < microseconds)
        continue;
    producer_send(producer->sycl, SIGNAL, producer->graph, node->event, instance,
                  (const void *)0xe7e7);
    producer_send(producer->sycl, TASK_END, producer->graph, node->event, instance,
                  NULL);
}

static void
send_memory(struct producer *producer, uint16_t begin, uint64_t address, uint64_t size)
{
    struct memory memory = {.address = address, .size = size};
    uint64_t instance = next_id();

    producer_send(producer->memory, begin, NULL, NULL, instance, &memory);
    producer_send(producer->memory, begin + 1, NULL, NULL, instance, &memory);
}

void memory_allocate(struct producer *producer, uint64_t address, uint64_t size)
{
    send_memory(producer, ALLOC_BEGIN, address, size);
}

void memory_release(struct producer *producer, uint64_t address)
{
    send_memory(producer, RELEASE_BEGIN, address, 0);
}

void diagnose(struct producer *producer, const char *text)
{
    producer_send(producer->sycl, DIAGNOSTICS, NULL, NULL, next_id(), text);
}
