/* nodes.c - nodes of the graph, dependencies between them, and their tasks */
#include <stdio.h>
#include <time.h>

#include "sim/xpti/producer_internal.h"

static void node_create(struct producer *producer,
                        struct node *node,
                        const struct queue *queue,
                        const char *kind)
{
    char text[80];

    if (!proxy_is_open)
        return;
    if (producer->detail >= NORMAL) {
        producer_add_text(node->event, "sycl_device_type", "GPU");
        producer_add_text(node->event, "sycl_device_name", "Simulated GPU");
    }
    snprintf(text, sizeof(text), "%s[%p]", kind, (void *)node->event);
    producer_stash_queue(queue->id);
    producer_send(producer->sycl, NODE_CREATE, producer->graph, node->event,
                  node->instance, text);
    producer_unstash();
}

void node_allocation(struct producer *producer,
                     struct node *node,
                     const struct queue *queue,
                     uint32_t line)
{
    node->event = producer_make("Alloca", line, ALGORITHM, &node->instance);
    producer_add_number(node->event, "memory_object", 0xb0ff);
    node_create(producer, node, queue, "memory_allocation_node");
}

void node_transfer(struct producer *producer,
                   struct node *node,
                   const struct queue *queue,
                   uint64_t bytes)
{
    node->event = producer_make("Transfer", 30, OFFLOAD_WRITE, &node->instance);
    producer_add_number(node->event, "memory_object", 0xb0ff);
    if (producer->detail >= NORMAL) {
        producer_add_number(node->event, "memory_size", bytes);
        producer_add_text(node->event, "copy_from", "HOST");
        producer_add_text(node->event, "copy_to", "Simulated GPU");
    }
    node_create(producer, node, queue, "memory_transfer_node");
}

struct enqueue {
    uint64_t global[3], local[3], offset[3], arguments;
};

struct argument {
    int32_t kind;
    const void *pointer;
    int32_t size, index;
};

static void add_symbols(struct event *event, const char *kernel, uint32_t line)
{
    const struct enqueue enqueue = {
        .global = {1024, 1, 1}, .local = {64, 1, 1}, .arguments = 1};
    const struct argument argument = {.kind = 1, .size = 8};

    producer_add_text(event, "sym_function_name", kernel);
    producer_add_text(event, "sym_source_file_name", "app.cpp");
    producer_add_number(event, "sym_line_no", line);
    producer_add_bytes(event, "enqueue_kernel_data", &enqueue, sizeof(enqueue));
    producer_add_bytes(event, "arg0", &argument, sizeof(argument));
}

void node_kernel(struct producer *producer,
                 struct node *node,
                 const struct queue *queue,
                 const char *kernel,
                 uint32_t line)
{
    node->event = producer_make(kernel, line, ALGORITHM, &node->instance);
    producer_add_text(node->event, "kernel_name", kernel);
    if (producer->detail >= VERBOSE)
        add_symbols(node->event, kernel, line);
    node_create(producer, node, queue, "command_group_node");
}

void node_release(struct node *node)
{
    if (proxy_is_open && proxy_get()->release_event)
        proxy_get()->release_event(node->event);
    node->event = NULL;
}

void node_barrier(struct producer *producer, const struct node *node)
{
    static const char text[] = "enqueue.barrier[buffer locked by host accessor]";
    uint64_t instance = producer_next_id();

    producer_send(producer->sycl, BARRIER_BEGIN, producer->graph, node->event, instance,
                  text);
    producer_send(producer->sycl, BARRIER_END, producer->graph, node->event, instance,
                  text);
}

void edge_create(struct producer *producer,
                 const struct node *from,
                 const struct node *to)
{
    uint64_t instance;
    struct event *edge = producer_make("edge", 0, ALGORITHM, &instance);
    struct node released = {.event = edge};

    if (!edge)
        return;
    edge->source = from->event->uid;
    edge->target = to->event->uid;
    producer_add_text(edge, "access_mode", "read_write");
    producer_add_number(edge, "memory_object", 0xb0ff);
    producer_send(producer->sycl, EDGE_CREATE, producer->graph, edge, instance, NULL);
    node_release(&released);
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The first parameter of each call is the queue. */
static void call_nested(struct producer *producer,
                        const struct queue *queue,
                        const char *const *calls,
                        size_t call_count)
{
    const void *handle = queue->handle;
    const struct call call = {call_count ? calls[0] : NULL, 295,
                              (const void *const[]){&handle}, 0};
    uint64_t instance;

    if (call_count == 0)
        return;
    instance = call_begin(producer, &call);
    call_nested(producer, queue, calls + 1, call_count - 1);
    call_end(producer, &call, instance);
}

void task_run(struct producer *producer,
              const struct node *node,
              const struct queue *queue,
              const char *const *calls,
              size_t call_count,
              uint64_t microseconds)
{
    uint64_t instance = producer_next_id(), start = now_us();

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
