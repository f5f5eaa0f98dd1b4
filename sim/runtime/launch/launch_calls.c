/* launch_calls.c - the launch calls of acl */
#include <string.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/launch/function.h"
#include "sim/runtime/launch/launch.h"

#define ARRAY_BYTES_MAX 65536
#define BLOCKS_MAX      65535
#define THREADS_MAX     65536

static aclError read_attribute(const aclrtLaunchKernelAttr *attribute,
                               struct launch_options *options)
{
    const aclrtLaunchKernelAttrValue *value = &attribute->value;

    switch (attribute->id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
        options->timeout_us = value->timeout * UINT64_C(1000000);
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
        options->timeout_us =
            (uint64_t)value->timeoutUs.timeoutHigh << 32 | value->timeoutUs.timeoutLow;
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
        return 0; /* hardware scheduling hint without visible effect */
    }
    return ACL_ERROR_RT_PARAM_INVALID;
}

static aclError read_config(const aclrtLaunchKernelCfg *cfg,
                            struct launch_options *options)
{
    aclError error = 0;

    *options = (struct launch_options){0};
    if (!cfg)
        return 0;
    if (cfg->numAttrs > 0 && !cfg->attrs)
        return ACL_ERROR_RT_PARAM_INVALID;
    for (size_t i = 0; i < cfg->numAttrs && !error; i++)
        error = read_attribute(&cfg->attrs[i], options);
    return error;
}

aclError sim_aclrtLaunchKernel(aclrtFuncHandle funcHandle,
                               uint32_t numBlocks,
                               const void *argsData,
                               size_t argsSize,
                               aclrtStream stream)
{
    return sim_aclrtLaunchKernelV2(funcHandle, numBlocks, argsData, argsSize, NULL,
                                   stream);
}

aclError sim_aclrtLaunchKernelV2(aclrtFuncHandle funcHandle,
                                 uint32_t numBlocks,
                                 const void *argsData,
                                 size_t argsSize,
                                 aclrtLaunchKernelCfg *cfg,
                                 aclrtStream stream)
{
    struct launch_options options;
    aclError error = read_config(cfg, &options);

    return error ? error
                 : launch_device(function_of(funcHandle), numBlocks, stream, argsData,
                                 argsSize, &options);
}

aclError sim_aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                         uint32_t numBlocks,
                                         aclrtStream stream,
                                         aclrtLaunchKernelCfg *cfg,
                                         aclrtArgsHandle argsHandle,
                                         void *reserve)
{
    struct launch_options options;
    struct args_view view;
    aclError error = read_config(cfg, &options);

    (void)reserve;
    if (!error)
        error = args_pack(argsHandle, &view);
    if (error)
        return error;
    return launch_host(function_of(funcHandle), numBlocks, stream, view.bytes,
                       view.size, view.holders, view.holder_count, &options);
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
    struct launch_options options;
    aclError error = read_config(cfg, &options);

    return error ? error
                 : launch_host(function_of(funcHandle), numBlocks, stream, hostArgs,
                               argsSize, placeHolderArray, placeHolderNum, &options);
}

/* Finds a function by its handle, or by the host symbol of a registered kernel. */
static aclError find_function(void *func, struct function **out)
{
    *out = function_of_stub(func);
    if (!*out && func)
        *out = function_of(func);
    return *out ? 0 : ACL_ERROR_RT_INVALID_DEVICE_FUNCTION;
}

/* Packs the arguments, each at a multiple of 8 bytes, as in an argument list. */
static aclError pack_array(const struct npu_sim_params *params,
                           void **args,
                           uint8_t *bytes,
                           size_t *size)
{
    *size = 0;
    for (uint32_t i = 0; i < params->count; i++) {
        size_t room = ((size_t)params->sizes[i] + 7) / 8 * 8;

        if (!args || !args[i] || room > ARRAY_BYTES_MAX - *size)
            return ACL_ERROR_RT_PARAM_INVALID;
        memset(bytes + *size, 0, room);
        memcpy(bytes + *size, args[i], params->sizes[i]);
        *size += room;
    }
    return 0;
}

/* The constant <kernel>_params has the number and the sizes of the arguments. */
aclError sim_aclrtLaunchKernelWithArgsArray(void *func,
                                            uint32_t numBlocks,
                                            aclrtStream stream,
                                            aclrtLaunchKernelCfg *cfg,
                                            void **args)
{
    uint8_t bytes[ARRAY_BYTES_MAX];
    struct launch_options options;
    struct function *function;
    size_t size;
    aclError error = read_config(cfg, &options);

    if (!error)
        error = find_function(func, &function);
    if (!error && !function->params)
        error = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (!error)
        error = pack_array(function->params, args, bytes, &size);
    return error ? error
                 : launch_host(function, numBlocks, stream, bytes, size, NULL, 0,
                               &options);
}

/* Only the 950 has cores that run threads. */
static aclError read_shape(void *func,
                           dim3 grid,
                           dim3 block,
                           struct function **function,
                           struct launch_options *options)
{
    uint64_t blocks = (uint64_t)grid.x * grid.y, threads = (uint64_t)block.x * block.y;
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (blocks == 0 || grid.z == 0 || blocks > BLOCKS_MAX / grid.z || threads == 0 ||
        block.z == 0 || threads > THREADS_MAX / block.z)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (strncmp(npu_sim_card_soc(context->card), "Ascend950", 9) != 0)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    error = find_function(func, function);
    if (!error && !(*function)->simt)
        error = ACL_ERROR_RT_INVALID_DEVICE_FUNCTION;
    options->threads =
        (struct threads){{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}};
    return error;
}

static uint32_t volume(struct npu_sim_dim of)
{
    return of.x * of.y * of.z;
}

aclError sim_aclrtLaunchSIMTKernelWithArgsArray(void *func,
                                                dim3 gridDim,
                                                dim3 blockDim,
                                                size_t dynUBufSize,
                                                aclrtStream stream,
                                                aclrtLaunchKernelCfg *cfg,
                                                void **args)
{
    uint8_t bytes[ARRAY_BYTES_MAX];
    struct launch_options options;
    struct function *function;
    size_t size;
    aclError error = read_config(cfg, &options);

    (void)dynUBufSize; /* the local memory of a thread is the host stack */
    if (!error)
        error = read_shape(func, gridDim, blockDim, &function, &options);
    if (!error && !function->params)
        error = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (!error)
        error = pack_array(function->params, args, bytes, &size);
    return error ? error
                 : launch_host(function, volume(options.threads.grid), stream, bytes,
                               size, NULL, 0, &options);
}

aclError sim_aclrtLaunchSIMTKernelWithHostArgs(void *func,
                                               dim3 gridDim,
                                               dim3 blockDim,
                                               size_t dynUBufSize,
                                               aclrtStream stream,
                                               aclrtLaunchKernelCfg *cfg,
                                               void *hostArgs,
                                               size_t argsSize,
                                               aclrtPlaceHolderInfo *placeHolderArray,
                                               size_t placeHolderNum)
{
    struct launch_options options;
    struct function *function;
    aclError error = read_config(cfg, &options);

    (void)dynUBufSize;
    if (!error)
        error = read_shape(func, gridDim, blockDim, &function, &options);
    return error ? error
                 : launch_host(function, volume(options.threads.grid), stream, hostArgs,
                               argsSize, placeHolderArray, placeHolderNum, &options);
}
