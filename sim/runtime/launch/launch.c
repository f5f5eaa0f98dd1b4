#include "sim/runtime/launch/launch.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/runtime/context.h"
#include "sim/runtime/failure.h"
#include "sim/runtime/launch/aicpu.h"
#include "sim/runtime/launch/bodies.h"
#include "sim/runtime/launch/function.h"
#include "sim/runtime/launch/mishap.h"
#include "sim/runtime/stream/stream.h"
#include "sim/runtime/stream/timeout.h"

#define BLOCKS_MAX  65535
#define ARGS_MAX    (4u << 20)
#define HOLDERS_MAX 1024

struct launch_task {
    struct task task;
    struct function *function;
    uint32_t card;
    uint32_t blocks;
    void *args; /* device memory, or the copy below */
    size_t args_size;
    struct launch_options options;
    uint64_t copy[]; /* uint64_t for the alignment */
};

static void
report(const struct launch_task *launch, struct stream *stream, aclError code)
{
    aclrtExceptionInfo info = {
        .task = launch->task.id,
        .stream = stream_id(stream),
        .thread = (uint32_t)syscall(SYS_gettid),
        .device = (uint32_t)stream_device(stream),
        .code = (uint32_t)code,
    };

    failure_report(&info);
}

/* Returns the smaller of the limit of the launch and the limit of the program. */
static uint64_t limit_us(const struct launch_task *launch)
{
    uint32_t ms = op_execute_timeout_ms();
    uint64_t all = ms == TIMEOUT_NEVER ? UINT64_MAX : ms * UINT64_C(1000);
    uint64_t own = launch->options.timeout_us;

    return own > 0 && own < all ? own : all;
}

/* Converts an error: chips with separate vector cores have error codes of their own. */
static aclError code_of(const struct launch_task *launch, aclError error)
{
    if (launch->options.vector_core && error == ACL_ERROR_RT_AICORE_TIMEOUT)
        return ACL_ERROR_RT_VECTOR_CORE_TIMEOUT;
    if (launch->options.vector_core && error == ACL_ERROR_RT_AICORE_EXCEPTION)
        return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
    return error;
}

static bool is_too_long(const struct launch_task *launch, const struct card_span *span)
{
    return npu_sim_ticks_to_ns(span->end - span->start) / 1000 > limit_us(launch);
}

/* Times the launch before its bodies run, because the cost of a block may depend on
 * data that the bodies change. A kernel that exceeds its limit is stopped: its bodies
 * do not run, so its results are missing. */
static aclError run_timed(const struct launch_task *launch,
                          const struct card_launch *timed,
                          struct bodies *bodies,
                          struct stream *stream)
{
    struct card_span span = npu_sim_card_run(launch->card, timed);

    stream_time_follow(stream_time(stream), span.end);
    if (is_too_long(launch, &span))
        return code_of(launch, ACL_ERROR_RT_AICORE_TIMEOUT);
    bodies_run(bodies);
    bodies_store_stamps(bodies, stream, 0, 0);
    return 0;
}

/* Runs a launch that waits for other cards. The bodies run between the two steps of the
 * timing, because only they determine the wait. */
static aclError run_waiting(const struct launch_task *launch,
                            const struct card_launch *timed,
                            struct bodies *bodies,
                            struct stream *stream)
{
    struct card_run *run = npu_sim_card_begin(launch->card, timed);
    struct card_done done = {0};

    bodies_run(bodies);
    if (run) {
        done = npu_sim_card_finish(run);
        *stream_time(stream) =
            (struct stream_time){done.anchor_ns, done.anchor, done.span.end,
                                 stream_time(stream)->slip + done.slip};
    }
    bodies_store_stamps(bodies, stream, done.moved, done.waited);
    return is_too_long(launch, &done.span)
               ? code_of(launch, ACL_ERROR_RT_AICORE_TIMEOUT)
               : 0;
}

static aclError run_launch(struct task *task, struct stream *stream)
{
    struct launch_task *launch = (struct launch_task *)task;
    struct card_launch timed = {
        .kernel = launch->function->name,
        .info = launch->function->info,
        .counted = launch->function->counted,
        .blocks = launch->blocks,
        .stream = stream_id(stream),
        .task = task->id,
        .number = stream_next_kernel(stream),
        .args = launch->args,
        .args_size = launch->args_size,
    };
    struct bodies bodies;
    aclError error;

    launch->card = stream_card(stream);
    error = code_of(
        launch, mishap_meet(stream, launch->function->name, limit_us(launch) / 1000));
    if (!error)
        error = bodies_open(&bodies, launch->function, launch->card, launch->blocks,
                            launch->args, launch->args_size);
    if (error) {
        report(launch, stream, error);
        return error;
    }
    bodies.threads = launch->options.threads;
    timed.ready = stream_time(stream)->now; /* after a planted delay */
    timed.anchor = stream_time(stream)->anchor;
    timed.anchor_ns = stream_time(stream)->anchor_ns;
    timed.args_size = bodies.args_size;
    timed.spans = bodies.spans;
    if (timed.info && timed.info->waits)
        error = run_waiting(launch, &timed, &bodies, stream);
    else
        error = run_timed(launch, &timed, &bodies, stream);
    bodies_close(&bodies);
    if (error)
        report(launch, stream, error);
    return error;
}

static aclError make(struct function *function,
                     uint32_t blocks,
                     const void *device_args,
                     const void *host_args,
                     size_t size,
                     const struct launch_options *options,
                     struct launch_task **out)
{
    size_t copied = host_args ? size : 0;
    struct launch_task *launch = task_create(sizeof(*launch) + copied, run_launch);

    if (!launch)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    launch->function = function;
    launch->blocks = blocks;
    launch->args = (void *)device_args;
    launch->args_size = size;
    launch->options = options ? *options : (struct launch_options){0};
    if (copied > 0)
        memcpy(launch->copy, host_args, copied);
    if (!device_args)
        launch->args = launch->copy;
    *out = launch;
    return 0;
}

static aclError check(const struct function *function, uint32_t blocks)
{
    return function && blocks > 0 && blocks <= BLOCKS_MAX ? 0
                                                          : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError launch_cpu(const struct function *function,
                           uint32_t blocks,
                           aclrtStream handle,
                           const void *args,
                           size_t args_size,
                           const aclrtPlaceHolderInfo *holders,
                           size_t holder_count)
{
    const struct aicpu_launch launch = {
        .blocks = blocks,
        .args = args,
        .args_size = args_size,
        .holders = holders,
        .holder_count = holder_count,
        .entry = function->cpu,
        .timeout_ms = aicpu_default_timeout_ms(),
    };

    return aicpu_launch(handle, &launch);
}

aclError launch_host(struct function *function,
                     uint32_t blocks,
                     aclrtStream handle,
                     const void *args,
                     size_t args_size,
                     const aclrtPlaceHolderInfo *holders,
                     size_t holder_count,
                     const struct launch_options *options)
{
    struct launch_task *launch;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = check(function, blocks);
    if (error)
        return error;
    if (function->cpu)
        return launch_cpu(function, blocks, handle, args, args_size, holders,
                          holder_count);
    if (args_size > ARGS_MAX || (args_size > 0 && !args) ||
        holder_count > HOLDERS_MAX || (holder_count > 0 && !holders))
        return ACL_ERROR_RT_PARAM_INVALID;
    for (size_t i = 0; i < holder_count; i++)
        if (args_size < sizeof(void *) ||
            holders[i].addrOffset > args_size - sizeof(void *) ||
            holders[i].dataOffset >= args_size)
            return ACL_ERROR_RT_PARAM_INVALID;
    error = make(function, blocks, NULL, args, args_size, options, &launch);
    if (error)
        return error;
    for (size_t i = 0; i < holder_count; i++) {
        void *data = (char *)launch->copy + holders[i].dataOffset;

        memcpy((char *)launch->copy + holders[i].addrOffset, &data, sizeof(data));
    }
    return stream_submit(stream, (void **)&launch);
}

aclError launch_device(struct function *function,
                       uint32_t blocks,
                       aclrtStream handle,
                       const void *args,
                       size_t args_size,
                       const struct launch_options *options)
{
    struct launch_task *launch;
    struct card_memory memory;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = check(function, blocks);
    if (!error && function->cpu)
        error = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (error)
        return error;
    /* a host address would fault on a card: return an error now */
    if (!npu_sim_memory_find(args, &memory) ||
        args_size > memory.bytes - ((uintptr_t)args - memory.base))
        return ACL_ERROR_RT_PARAM_INVALID;
    error = make(function, blocks, args, NULL, args_size, options, &launch);
    return error ? error : stream_submit(stream, (void **)&launch);
}
