/* producer.h - the notifications of a SYCL runtime and of Unified Runtime, in order */
#ifndef SIM_XPTI_PRODUCER_H
#define SIM_XPTI_PRODUCER_H

#include <stddef.h>
#include <stdint.h>

#include "sim/xpti/proxy.h"

enum { PRODUCER_TYPES = 128 };

struct producer {
    uint8_t sycl, ur, memory;   /* numbers of the streams */
    struct event *graph, *call; /* the global objects */
};

struct queue {
    struct event *place;
    uint64_t id;
    const void *handle;
};

struct node {
    struct event *event;
    uint64_t instance;
};

/* Announces the streams and creates the global objects. */
void producer_start(struct producer *producer);
/* Finishes the streams in the order of a runtime. */
void producer_end(struct producer *producer);

void queue_create(struct producer *producer, struct queue *queue, uint64_t id);
void queue_destroy(struct producer *producer, const struct queue *queue);
/* Waits for the queue, with the call urQueueFinish inside. */
void queue_wait(struct producer *producer, const struct queue *queue);

/* Each function creates a node on the queue. `line` is the line in app.cpp. */
void node_allocation(struct producer *producer,
                     struct node *node,
                     const struct queue *queue,
                     uint32_t line);
void node_transfer(struct producer *producer,
                   struct node *node,
                   const struct queue *queue,
                   uint64_t bytes);
void node_kernel(struct producer *producer,
                 struct node *node,
                 const struct queue *queue,
                 const char *kernel,
                 uint32_t line);
void node_release(struct node *node);

/* `to` starts after `from`. */
void edge_create(struct producer *producer,
                 const struct node *from,
                 const struct node *to);

/* Runs the task of a node for at least `microseconds`. The calls are nested: the first
 * one encloses the others. */
void task_run(struct producer *producer,
              const struct node *node,
              const struct queue *queue,
              const char *const *calls,
              size_t call_count,
              uint64_t microseconds);

/* A memory block of the runtime: allocation, and release. */
void memory_allocate(struct producer *producer, uint64_t address, uint64_t size);
void memory_release(struct producer *producer, uint64_t address);
void diagnose(struct producer *producer, const char *text);

/* Sends one notification and counts it. */
void producer_send(uint8_t stream,
                   uint16_t type,
                   struct event *parent,
                   struct event *object,
                   uint64_t instance,
                   const void *user);
/* Returns the notifications of the type that were sent so far. */
unsigned long long producer_sent(uint16_t type);

#endif
