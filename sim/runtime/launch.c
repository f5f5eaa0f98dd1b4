#include "sim/runtime/launch.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/runtime/aicpu.h"
#include "sim/runtime/bodies.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/failure.h"
#include "sim/runtime/function.h"
#include "sim/runtime/mishap.h"
#include "sim/runtime/stream.h"

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
    uint64_t copy[]; /* so that it is aligned */
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

static aclError run_launch(struct task *task, struct stream *stream)
{
    struct launch_task *launch = (struct launch_task *)task;
    struct card_launch told = {
        .kernel = launch->function->name,
        .info = launch->function->info,
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
    error = mishap_meet(stream, launch->function->name);
    if (!error)
        error = bodies_open(&bodies, launch->function, launch->card, launch->blocks,
                            launch->args, launch->args_size);
    if (error) {
        report(launch, stream, error);
        return error;
    }
    told.args_size = bodies.args_size;
    told.spans = bodies.spans;
    /* timed first: what a block costs may depend on data that the bodies change */
    npu_sim_card_run(launch->card, &told);
    bodies_run(&bodies, stream);
    bodies_close(&bodies);
    return 0;
}

static aclError make(struct function *function,
                     uint32_t blocks,
                     const void *device_args,
                     const void *host_args,
                     size_t size,
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
                     size_t holder_count)
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
    error = make(function, blocks, NULL, args, args_size, &launch);
    if (error)
        return error;
    for (size_t i = 0; i < holder_count; i++) {
        void *data = (char *)launch->copy + holders[i].dataOffset;

        memcpy((char *)launch->copy + holders[i].addrOffset, &data, sizeof(data));
    }
    return stream_submit(stream, (void **)&launch);
}

static aclError check_config(const aclrtLaunchKernelCfg *cfg)
{
    if (!cfg)
        return 0;
    if (cfg->numAttrs > 0 && !cfg->attrs)
        return ACL_ERROR_RT_PARAM_INVALID;
    for (size_t i = 0; i < cfg->numAttrs; i++)
        if (cfg->attrs[i].id < ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE ||
            cfg->attrs[i].id > ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING)
            return ACL_ERROR_RT_PARAM_INVALID;
    return 0;
}

aclError sim_aclrtLaunchKernel(aclrtFuncHandle funcHandle,
                               uint32_t numBlocks,
                               const void *argsData,
                               size_t argsSize,
                               aclrtStream handle)
{
    struct function *function = function_of(funcHandle);
    struct launch_task *launch;
    struct card_memory memory;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = check(function, numBlocks);
    if (!error && function->cpu)
        error = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (error)
        return error;
    /* a host address here faults on a card; better to say so at once */
    if (!npu_sim_memory_find(argsData, &memory) ||
        argsSize > memory.bytes - ((uintptr_t)argsData - memory.base))
        return ACL_ERROR_RT_PARAM_INVALID;
    error = make(function, numBlocks, argsData, NULL, argsSize, &launch);
    return error ? error : stream_submit(stream, (void **)&launch);
}

aclError sim_aclrtLaunchKernelV2(aclrtFuncHandle funcHandle,
                                 uint32_t numBlocks,
                                 const void *argsData,
                                 size_t argsSize,
                                 aclrtLaunchKernelCfg *cfg,
                                 aclrtStream stream)
{
    aclError error = check_config(cfg);

    if (error)
        return error;
    return sim_aclrtLaunchKernel(funcHandle, numBlocks, argsData, argsSize, stream);
}

aclError sim_aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                         uint32_t numBlocks,
                                         aclrtStream stream,
                                         aclrtLaunchKernelCfg *cfg,
                                         aclrtArgsHandle argsHandle,
                                         void *reserve)
{
    struct args_view view;
    aclError error = check_config(cfg);

    (void)reserve;
    if (!error)
        error = args_pack(argsHandle, &view);
    if (error)
        return error;
    return launch_host(function_of(funcHandle), numBlocks, stream, view.bytes,
                       view.size, view.holders, view.holder_count);
}

aclError sim_aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle,
                                           uint32_t numBlocks,
                                           aclrtStream stream,
                                           aclrtLaunchKernelCfg *cfg,
                                           void *hostArgs,
                                           size_t argsSize,
                                           aclrtPlaceHolderInfo *placeHolderArray,
                                           size_t placeHolderNum)
{
    aclError error = check_config(cfg);

    if (error)
        return error;
    return launch_host(function_of(funcHandle), numBlocks, stream, hostArgs, argsSize,
                       placeHolderArray, placeHolderNum);
}

/* The sizes of the arguments would have to come from the kernel's own description. */
aclError sim_aclrtLaunchKernelWithArgsArray(void *func,
                                            uint32_t numBlocks,
                                            aclrtStream stream,
                                            aclrtLaunchKernelCfg *cfg,
                                            void **args)
{
    (void)func;
    (void)numBlocks;
    (void)stream;
    (void)cfg;
    (void)args;
    return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}
