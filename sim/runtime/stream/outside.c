#include "sim/runtime/stream/outside.h"

#include <npu_sim/aicpu.h>
#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/runtime/context.h"
#include "sim/runtime/launch/mishap.h"
#include "sim/runtime/stream/capture.h"
#include "sim/runtime/stream/running.h"
#include "sim/runtime/stream/stream.h"
#include "sim/runtime/stream/turn.h"

struct outside_task {
    struct task task;
    struct npu_sim_work work;
    void *(*copy)(const void *data);
    bool captured; /* each execution of the model copies the data */
    bool ran;      /* run() has released the data */
};

static aclError run_work(struct task *task, struct stream *stream)
{
    struct outside_task *outside = (struct outside_task *)task;
    struct npu_sim_turn turn = {stream, task->id, NULL};
    void *data = outside->work.data;

    if (!outside->captured) {
        outside->ran = true;
        return outside->work.run(data, &turn);
    }
    data = outside->copy(data);
    return data ? outside->work.run(data, &turn) : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

/* The task that this thread submits. If it is refused, the caller still owns the data.
 */
static _Thread_local struct task *adding;

static void end_work(struct task *task)
{
    struct outside_task *outside = (struct outside_task *)task;

    if (!outside->ran && task != adding)
        outside->work.drop(outside->work.data);
}

aclError npu_sim_stream_add_copied(aclrtStream handle,
                                   const struct npu_sim_work *work,
                                   void *(*copy)(const void *data))
{
    struct stream *stream;
    struct outside_task *task;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    task = task_create(sizeof(*task), run_work);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->task.end = end_work;
    task->work = *work;
    task->copy = copy;
    task->captured = stream_branch(stream);
    task->ran = false;
    adding = &task->task;
    if (task->captured && !copy) {
        capture_forbids(stream);
        task_end(&task->task);
        error = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    } else {
        error = stream_submit(stream, (void **)&task);
    }
    adding = NULL;
    return error;
}

aclError npu_sim_stream_add(aclrtStream stream, const struct npu_sim_work *work)
{
    return npu_sim_stream_add_copied(stream, work, NULL);
}

bool npu_sim_stream_captures(aclrtStream handle)
{
    struct stream *stream;

    return !stream_of(handle, &stream) && stream_branch(stream);
}

bool npu_sim_turn_is_aborted(const struct npu_sim_turn *turn)
{
    struct stream *stream;

    if (!turn)
        turn = npu_sim_aicpu_turn();
    stream = turn ? turn->stream : running_stream();
    if (turn && turn->over)
        return __atomic_load_n(turn->over, __ATOMIC_ACQUIRE);
    return stream && stream_is_aborted(stream);
}

void npu_sim_turn_fail(aclError error)
{
    if (npu_sim_aicpu_turn())
        npu_sim_aicpu_fail(error);
    else
        running_fail(error);
}

aclError
npu_sim_turn_meets(const struct npu_sim_turn *turn, const char *name, uint64_t limit_ms)
{
    return mishap_meet(turn->stream, name, limit_ms);
}

struct npu_sim_turn_time npu_sim_turn_time(const struct npu_sim_turn *turn)
{
    const struct stream_time *time = stream_time(turn->stream);

    return (struct npu_sim_turn_time){time->anchor_ns, time->anchor, time->now,
                                      time->slip};
}

void npu_sim_turn_ran(const struct npu_sim_turn *turn,
                      uint64_t start,
                      const struct npu_sim_turn_time *time)
{
    const struct card_task task = {stream_id(turn->stream), turn->task,
                                   CARD_TASK_KERNEL};

    npu_sim_card_log_span(stream_card(turn->stream), &task, start, time->now);
    *stream_time(turn->stream) =
        (struct stream_time){time->anchor_ns, time->anchor, time->now, time->slip};
}

struct npu_sim_turn_place npu_sim_turn_place(const struct npu_sim_turn *turn)
{
    return (struct npu_sim_turn_place){stream_card(turn->stream),
                                       stream_id(turn->stream), turn->task};
}

bool npu_sim_is_device_memory(const void *address, uint64_t bytes)
{
    struct card_memory memory;

    return npu_sim_memory_find(address, &memory) &&
           bytes <= memory.bytes - ((uintptr_t)address - memory.base);
}

aclError npu_sim_current_card(uint32_t *card, int32_t *device)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    *card = context->card;
    *device = context->device;
    return 0;
}
