/* producer.h - the notifications of a SYCL runtime and of Unified Runtime, in order
 *
 * A program of 2024 or later calls Unified Runtime; an older one has a plugin (PI) in
 * its place. One before 2023 has other numbers for some trace types, and stashes
 * nothing. Programs of today send the events of `sycl` and `ur.call` to the debug
 * stream when a tool subscribed to that, and add as many metadata as tools asked for:
 * names of kernels and memory objects; also devices and the memory of transfers; also
 * symbols and arguments. */
#ifndef SIM_XPTI_PRODUCER_H
#define SIM_XPTI_PRODUCER_H

#include <stddef.h>
#include <stdint.h>

#include "sim/xpti/proxy.h"

enum { PRODUCER_TYPES = 128 };

struct producer {
    unsigned year;
    uint8_t sycl, memory, buffer, image;   /* numbers of the streams */
    uint8_t ur;                            /* of calls with arguments */
    uint8_t pi;                            /* of names of calls; 0: none */
    uint8_t detail;                        /* of the metadata of nodes: 1 to 3 */
    struct event *graph, *call, *accessor; /* the global objects */
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
void producer_start(struct producer *producer, unsigned year);
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
/* The runtime waits for a host accessor before it submits the node. */
void node_barrier(struct producer *producer, const struct node *node);

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

/* Calls of the runtime without a task: the functions of a program that lists its
 * devices, and copies on two queues in turn. */
void calls_of_listing(struct producer *producer);
void calls_of_copies(struct producer *producer, unsigned copies);

/* A memory block of the runtime: allocation, and release. */
void memory_allocate(struct producer *producer, uint64_t address, uint64_t size);
void memory_release(struct producer *producer, uint64_t address);
/* The life of a buffer of 3 x 2 numbers and of an image of 4 x 5 points. */
void memory_objects(struct producer *producer, uint64_t handle);
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
