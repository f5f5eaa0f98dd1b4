/* producer_internal.h - numbers and functions of all files of the producer */
#ifndef SIM_XPTI_PRODUCER_INTERNAL_H
#define SIM_XPTI_PRODUCER_INTERNAL_H

#include "sim/xpti/producer.h"

enum trace_type {
    GRAPH_CREATE = 2,
    NODE_CREATE = 4,
    EDGE_CREATE = 6,
    TASK_BEGIN = 10,
    TASK_END = 11,
    BARRIER_BEGIN = 12,
    BARRIER_END = 13,
    SIGNAL = 16,
    WAIT_BEGIN = 22,
    WAIT_END = 23,
    FUNCTION_BEGIN = 24,
    FUNCTION_END = 25,
    CALL_BEGIN = 28,
    CALL_END = 29,
    CALL_END_2021 = 31,
    ALLOC_BEGIN = 32,
    ALLOC_END = 33,
    RELEASE_BEGIN = 34,
    RELEASE_END = 35,
    ALLOC_END_2021 = 35,
    RELEASE_BEGIN_2021 = 36,
    RELEASE_END_2021 = 39,
    OBJECT_CONSTRUCT = 36,
    OBJECT_DESTRUCT = 37,
    OBJECT_ASSOCIATE = 38,
    OBJECT_RELEASE = 39,
    ACCESSOR = 40,
    QUEUE_CREATE = 42,
    QUEUE_DESTROY = 43,
    DIAGNOSTICS = 126,
};
enum detail { BASIC = 1, NORMAL, VERBOSE };
enum event_type { GRAPH = 1, ALGORITHM = 2, OFFLOAD_WRITE = 8 };

/* Creates the event of a place in app.cpp. Returns NULL when nothing is traced. */
struct event *
producer_make(const char *name, uint32_t line, uint16_t event_type, uint64_t *instance);
void producer_add_text(struct event *event, const char *key, const char *text);
void producer_add_number(struct event *event, const char *key, uint64_t value);
void producer_add_bytes(struct event *event,
                        const char *key,
                        const void *bytes,
                        size_t size);
/* Returns the next number of an instance. */
uint64_t producer_next_id(void);
/* Stores the queue where subscribers look for it; programs of 2021 cannot. */
void producer_stash_queue(uint64_t queue);
void producer_unstash(void);

/* A call and its parameters, with the result that its end reports. */
struct call {
    const char *name;
    uint32_t function;
    const void *const *args; /* a pointer to each */
    int32_t result;
};

/* Returns the number of the call for its end. */
uint64_t call_begin(struct producer *producer, const struct call *call);
void call_end(struct producer *producer, const struct call *call, uint64_t instance);

#endif
