/* rt_aicpu.c - rtX: the launches of AI CPU kernels */
#include <stdio.h>
#include <string.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/exported.h"
#include "sim/runtime/launch/aicpu.h"

#define HOLDERS_MAX 64

uint32_t aicpu_default_timeout_ms(void)
{
    uint32_t ms = AICPU_NO_LIMIT;

    sim_aclrtGetOpExecuteTimeout(&ms);
    return ms;
}

/* Returns a string in the arguments, or NULL when it is not completely inside. */
static const char *string_at(const rtAicpuArgsEx_t *args, uint32_t offset)
{
    const char *all = args->args;

    if (offset >= args->argsSize ||
        !memchr(all + offset, '\0', args->argsSize - offset))
        return NULL;
    return all + offset;
}

static rtError_t fill_holders(struct aicpu_launch *launch,
                              aclrtPlaceHolderInfo *holders,
                              const rtHostInputInfo_t *given,
                              size_t count)
{
    if (count > HOLDERS_MAX || (count > 0 && !given))
        return ACL_ERROR_RT_PARAM_INVALID;
    for (size_t i = 0; i < count; i++)
        holders[i] = (aclrtPlaceHolderInfo){given[i].addrOffset, given[i].dataOffset};
    launch->holders = holders;
    launch->holder_count = count;
    return 0;
}

static bool is_aicpu_type(uint32_t type)
{
    return type == KERNEL_TYPE_AICPU || type == KERNEL_TYPE_AICPU_CUSTOM ||
           type == KERNEL_TYPE_AICPU_KFC || type == KERNEL_TYPE_CUSTOM_KFC;
}

static uint32_t timeout_of(const rtAicpuArgsEx_t *args, uint32_t flags)
{
    if (!(flags & RT_KERNEL_USE_SPECIAL_TIMEOUT))
        return aicpu_default_timeout_ms();
    return args->timeout == 0 ? AICPU_NO_LIMIT : args->timeout * 1000u;
}

rtError_t rtAicpuKernelLaunchExWithArgs(const uint32_t kernelType,
                                        const char *opName,
                                        const uint32_t numBlocks,
                                        const rtAicpuArgsEx_t *argsInfo,
                                        rtSmDesc_t *smDesc,
                                        const rtStream_t stm,
                                        const uint32_t flags)
{
    aclrtPlaceHolderInfo holders[HOLDERS_MAX];
    struct aicpu_launch launch = {.blocks = numBlocks};
    rtError_t error;

    if (!opName || !argsInfo || !argsInfo->args || !is_aicpu_type(kernelType))
        return ACL_ERROR_RT_PARAM_INVALID;
    /* the offsets of fused kernels are not documented; no operator here uses them */
    if (smDesc || argsInfo->isNoNeedH2DCopy || argsInfo->kernelOffsetInfoNum > 0)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    launch.args = argsInfo->args;
    launch.args_size = argsInfo->argsSize;
    launch.library = string_at(argsInfo, argsInfo->soNameAddrOffset);
    launch.kernel = string_at(argsInfo, argsInfo->kernelNameAddrOffset);
    launch.timeout_ms = timeout_of(argsInfo, flags);
    error = fill_holders(&launch, holders, argsInfo->hostInputInfoPtr,
                         argsInfo->hostInputInfoNum);
    return error ? error : aicpu_launch(stm, &launch);
}

static rtError_t launch_named(const char *library,
                              const char *kernel,
                              uint32_t blocks,
                              const rtArgsEx_t *args,
                              const rtSmDesc_t *shared,
                              rtStream_t stm)
{
    aclrtPlaceHolderInfo holders[HOLDERS_MAX];
    struct aicpu_launch launch = {.blocks = blocks};
    rtError_t error;

    if (!args || !library || !kernel)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (shared || args->isNoNeedH2DCopy || args->hasTiling)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    launch.args = args->args;
    launch.args_size = args->argsSize;
    launch.library = library;
    launch.kernel = kernel;
    launch.timeout_ms = aicpu_default_timeout_ms();
    error =
        fill_holders(&launch, holders, args->hostInputInfoPtr, args->hostInputInfoNum);
    return error ? error : aicpu_launch(stm, &launch);
}

rtError_t rtCpuKernelLaunchWithFlag(const void *soName,
                                    const void *kernelName,
                                    uint32_t numBlocks,
                                    const rtArgsEx_t *argsInfo,
                                    rtSmDesc_t *smDesc,
                                    rtStream_t stm,
                                    uint32_t flags)
{
    (void)flags;
    return launch_named(soName, kernelName, numBlocks, argsInfo, smDesc, stm);
}

rtError_t rtAicpuKernelLaunchWithFlag(const rtKernelLaunchNames_t *launchNames,
                                      uint32_t numBlocks,
                                      const rtArgsEx_t *argsInfo,
                                      rtSmDesc_t *smDesc,
                                      rtStream_t stm,
                                      uint32_t flags)
{
    (void)flags;
    if (!launchNames)
        return ACL_ERROR_RT_PARAM_INVALID;
    return launch_named(launchNames->soName, launchNames->kernelName, numBlocks,
                        argsInfo, smDesc, stm);
}
