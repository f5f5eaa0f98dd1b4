#include "sim/hccl/operation.h"

#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/fleet/noise.h"
#include "sim/hccl/ranks/machine.h"
#include "sim/runtime/stream/outside.h"

struct arrival operation_arrival(const struct npu_sim_turn_time *time)
{
    return (struct arrival){
        .machine = machine_id(),
        .anchor_ns = time->anchor_ns,
        .since_ns = npu_sim_ticks_to_ns(time->now - time->anchor),
        .seed = npu_sim_noise_seed(),
    };
}

static void enter(struct operation *operation)
{
    queue_enter(comm_queue(operation->comm), &operation->place);
}

/* Waits for the turn of the operation in the queue; returns the failure of the
 * communicator, if any. */
static aclError wait_for_turn(struct operation *operation,
                              const struct npu_sim_turn *turn)
{
    struct group *group = comm_group(operation->comm);
    aclError error = queue_wait(comm_queue(operation->comm), &operation->place, turn);

    return error ? group_fail(group, HCCL_E_REMOTE, error) : group_error(group);
}

void operation_end(struct operation *operation)
{
    queue_leave(comm_queue(operation->comm), &operation->place);
    comm_put(operation->comm);
}

static void leave(struct operation *operation)
{
    operation_end(operation);
    free(operation);
}

/* Applies the faults of the fleet file to this task: late, stuck, or failed. */
static aclError meet_mishap(struct operation *operation,
                            const struct npu_sim_turn *turn)
{
    uint32_t limit_s = comm_exec_timeout_s(operation->comm);
    aclError error = npu_sim_turn_meets(turn, operation->name,
                                        limit_s ? limit_s * 1000ull : UINT64_MAX);

    if (error == ACL_ERROR_RT_AICORE_TIMEOUT)
        return group_fail(comm_group(operation->comm), HCCL_E_TIMEOUT,
                          ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    return error ? group_fail(comm_group(operation->comm), HCCL_E_REMOTE, error) : 0;
}

static aclError perform(void *data, const struct npu_sim_turn *turn)
{
    struct operation *operation = data;
    aclError error = wait_for_turn(operation, turn);
    struct operation_times times;

    if (!error)
        error = meet_mishap(operation, turn);
    times.time = npu_sim_turn_time(turn); /* after a planted delay */
    times.start = times.time.now;
    if (!error) {
        struct wait_limits limits =
            group_wait_limits(turn, comm_exec_timeout_s(operation->comm));

        error = operation->run(operation, &limits, &times);
    }
    if (error) /* no model has the time of this wait: take the host's time */
        times.time.now = npu_sim_card_ticks(npu_sim_turn_place(turn).card);
    npu_sim_turn_ran(turn, times.start, &times.time);
    leave(operation);
    return error == ACL_ERROR_RT_STREAM_ABORT
               ? 0
               : error; /* the caller of the abort gets no error */
}

/* Frees an operation that never ran. A pattern is freed with its model. Any other
 * operation was aborted before it began, and its peers wait until their time limit. */
static void drop(void *data)
{
    struct operation *operation = data;

    if (operation->is_pattern) {
        comm_put(operation->comm);
        free(operation);
        return;
    }
    group_fail(comm_group(operation->comm), HCCL_E_REMOTE, 0);
    leave(operation);
}

static void *copy_pattern(const void *data)
{
    const struct operation *pattern = data;
    struct operation *operation = pattern->copy(pattern);

    if (!operation)
        return NULL;
    operation->is_pattern = false;
    operation->comm = comm_take(pattern->comm);
    if (operation->comm) {
        queue_enter_now(comm_queue(operation->comm), &operation->place);
        return operation;
    }
    free(operation); /* the communicator was destroyed */
    return NULL;
}

static HcclResult issue_pattern(struct operation *operation, aclrtStream stream)
{
    const struct npu_sim_work work = {perform, drop, operation};

    operation->is_pattern = true;
    if (npu_sim_stream_add_copied(stream, &work, copy_pattern) == 0)
        return HCCL_SUCCESS;
    comm_put(operation->comm);
    free(operation);
    return HCCL_E_RUNTIME;
}

HcclResult
operation_issue(struct operation *operation, struct comm *comm, aclrtStream stream)
{
    const struct npu_sim_work work = {perform, drop, operation};
    aclError error;

    operation->comm = comm_take(comm);
    if (!operation->comm) {
        free(operation);
        return HCCL_E_PARA;
    }
    if (npu_sim_stream_captures(stream))
        return issue_pattern(operation, stream);
    comm_lock_issue(comm); /* the order of calls is the order on the stream */
    enter(operation);
    error = npu_sim_stream_add(stream, &work);
    comm_unlock_issue(comm);
    if (!error)
        return HCCL_SUCCESS;
    leave(operation);
    return HCCL_E_RUNTIME;
}

aclError operation_begin(struct operation *operation,
                         struct comm *comm,
                         const struct npu_sim_turn *turn)
{
    aclError error;

    operation->comm = comm_take(comm);
    if (!operation->comm)
        return ACL_ERROR_RT_PARAM_INVALID;
    queue_enter_now(comm_queue(comm), &operation->place);
    error = wait_for_turn(operation, turn);
    if (error)
        operation_end(operation);
    return error;
}
