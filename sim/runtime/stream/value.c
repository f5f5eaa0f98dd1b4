/* value.c - stream tasks that write a word of device memory or wait for its value */
#include <string.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/stream/stream.h"

#define POLL_MS 1 /* poll, because kernels and other processes write without notice */

struct value_task {
    struct task task;
    uint64_t *address;
    uint64_t value;
    uint32_t flag;
};

static aclError run_write(struct task *task, struct stream *stream)
{
    struct value_task *write = (struct value_task *)task;

    (void)stream;
    __atomic_store_n(write->address, write->value, __ATOMIC_RELEASE);
    wait_lock();
    wait_wake_all();
    wait_unlock();
    return 0;
}

static bool is_met(const struct value_task *wait)
{
    uint64_t now = __atomic_load_n(wait->address, __ATOMIC_ACQUIRE);

    switch (wait->flag) {
    case ACL_STREAM_WAIT_VALUE_GEQ: /* compares like a counter that does not wrap */
        return (int64_t)(now - wait->value) >= 0;
    case ACL_STREAM_WAIT_VALUE_EQ:
        return now == wait->value;
    case ACL_STREAM_WAIT_VALUE_AND:
        return (now & wait->value) != 0;
    default: /* NOR */
        return ~(now | wait->value) != 0;
    }
}

static aclError run_wait(struct task *task, struct stream *stream)
{
    struct value_task *wait = (struct value_task *)task;

    wait_lock();
    while (!is_met(wait) && !stream_is_aborted(stream)) {
        struct timespec soon = wait_deadline(POLL_MS);

        wait_once(&soon);
    }
    wait_unlock();
    return 0;
}

static aclError submit(void *address,
                       uint64_t value,
                       uint32_t flag,
                       aclrtStream handle,
                       aclError (*run)(struct task *task, struct stream *stream))
{
    struct card_memory memory;
    struct value_task *task;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if ((uintptr_t)address % sizeof(uint64_t))
        return ACL_ERROR_RT_ADDR_UNALIGNED;
    if (!npu_sim_memory_find(address, &memory) ||
        sizeof(uint64_t) > memory.bytes - ((uintptr_t)address - memory.base))
        return ACL_ERROR_RT_PARAM_INVALID;
    task = task_create(sizeof(*task), run);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->address = address;
    task->value = value;
    task->flag = flag;
    return stream_submit(stream, (void **)&task);
}

aclError
sim_aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    if (flag != 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    return submit(devAddr, value, flag, stream, run_write);
}

aclError
sim_aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    if (flag > ACL_STREAM_WAIT_VALUE_NOR)
        return ACL_ERROR_RT_PARAM_INVALID;
    return submit(devAddr, value, flag, stream, run_wait);
}
