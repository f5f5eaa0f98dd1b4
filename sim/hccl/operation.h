/* operation.h - an operation of a communicator, executed as a task of a stream
 *
 * On a stream that captures, an operation is a pattern. Each run of the model executes
 * a copy, which enters the queue when its turn on the stream comes. */
#ifndef SIM_HCCL_OPERATION_H
#define SIM_HCCL_OPERATION_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/comm.h"
#include "sim/hccl/queue.h"
#include "sim/hccl/times/arrival.h"
#include "sim/runtime/stream/outside.h"

/* The times of an operation on its rank. */
struct operation_times {
    uint64_t start;                /* ticks */
    struct npu_sim_turn_time time; /* before it: the stream's; afterwards: its end */
};

/* The base of an operation; each kind appends its own fields. */
struct operation {
    struct place_in_queue place;
    struct comm *comm; /* held */
    const char *name;  /* name of the called function */
    bool is_pattern;
    /* Returns the error of the stream, or sets the times. */
    aclError (*run)(struct operation *operation,
                    const struct wait_limits *limits,
                    struct operation_times *times);
    /* Copies the operation with its own fields; NULL when out of memory. */
    struct operation *(*copy)(const struct operation *operation);
};

/* Returns the arrival of this rank at the stream's time. */
struct arrival operation_arrival(const struct npu_sim_turn_time *time);
/* Queues the operation on the stream. Always takes over the operation. */
HcclResult
operation_issue(struct operation *operation, struct comm *comm, aclrtStream stream);
/* Starts an operation from a task that already runs on a stream, after the operations
 * that have begun. The operation is not freed, and only its `place` is used. After an
 * error, which is that of the stream, operation_end() must not be called. */
aclError operation_begin(struct operation *operation,
                         struct comm *comm,
                         const struct npu_sim_turn *turn);
void operation_end(struct operation *operation);

#endif
