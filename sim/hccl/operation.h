/* operation.h - what a communicator does as a task of a stream
 *
 * On a stream that captures, an operation is a pattern: each run of the model works on
 * a copy, which takes its place in the queue when its turn on the stream has come. */
#ifndef SIM_HCCL_OPERATION_H
#define SIM_HCCL_OPERATION_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/comm.h"
#include "sim/hccl/queue.h"

/* Has its own fields behind. */
struct operation {
    struct place_in_queue place;
    struct comm *comm; /* held */
    const char *name;  /* of the call */
    bool is_pattern;
    /* Returns the stream's error; *ns is what it takes beyond the wait for peers. */
    aclError (*run)(struct operation *operation,
                    const struct vigil *vigil,
                    uint64_t *ns);
    /* With its fields; NULL: no memory. */
    struct operation *(*copy)(const struct operation *operation);
};

/* Takes the operation in any case. */
HcclResult
operation_issue(struct operation *operation, struct comm *comm, aclrtStream stream);
/* For who is on a stream already: after what has begun. The operation is not
 * freed; of its fields only the place matters. An error is the stream's, and then there
 * is nothing to end. */
aclError operation_begin(struct operation *operation,
                         struct comm *comm,
                         const struct npu_sim_turn *turn);
void operation_end(struct operation *operation);

#endif
