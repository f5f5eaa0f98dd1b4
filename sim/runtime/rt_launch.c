/* rt_launch.c - rtX: kernel binaries and the older launch calls */
#include <string.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/exported.h"
#include "sim/runtime/launch/function.h"
#include "sim/runtime/launch/launch.h"

static bool is_magic(uint32_t magic)
{
    return magic == RT_DEV_BINARY_MAGIC_ELF || magic == RT_DEV_BINARY_MAGIC_ELF_AIVEC ||
           magic == RT_DEV_BINARY_MAGIC_ELF_AICUBE;
}

rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **hdl)
{
    if (!bin || !is_magic(bin->magic))
        return ACL_ERROR_RT_PARAM_INVALID;
    return binary_register(bin->data, bin->length, hdl);
}

rtError_t rtRegisterAllKernel(const rtDevBinary_t *bin, void **hdl)
{
    return rtDevBinaryRegister(bin, hdl);
}

rtError_t rtDevBinaryUnRegister(void *hdl)
{
    return sim_aclrtBinaryUnLoad(hdl);
}

/* kernelInfoExt is the name of the kernel in the binary when it differs from stubName.
 */
rtError_t rtFunctionRegister(void *binHandle,
                             const void *stubFunc,
                             const char *stubName,
                             const void *kernelInfoExt,
                             uint32_t funcMode)
{
    (void)funcMode;
    return function_bind(binHandle, stubFunc, kernelInfoExt ? kernelInfoExt : stubName);
}

rtError_t rtRegisterFuncSymbol(void *binHandle,
                               const void *symbol,
                               const char *kernelName,
                               void *reserve)
{
    (void)reserve;
    return function_bind(binHandle, symbol, kernelName);
}

static rtError_t launch(struct function *function,
                        uint32_t blocks,
                        const rtArgsEx_t *args,
                        const rtSmDesc_t *shared,
                        rtStream_t stm,
                        const struct launch_options *options)
{
    aclrtPlaceHolderInfo holders[64];
    size_t count;

    if (!function)
        return ACL_ERROR_RT_INVALID_SYMBOL;
    if (!args || args->hostInputInfoNum >= 64 ||
        (args->hostInputInfoNum > 0 && !args->hostInputInfoPtr))
        return ACL_ERROR_RT_PARAM_INVALID;
    if (shared || args->isNoNeedH2DCopy)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    count = args->hostInputInfoNum;
    for (size_t i = 0; i < count; i++)
        holders[i] = (aclrtPlaceHolderInfo){args->hostInputInfoPtr[i].addrOffset,
                                            args->hostInputInfoPtr[i].dataOffset};
    if (args->hasTiling)
        holders[count++] =
            (aclrtPlaceHolderInfo){args->tilingAddrOffset, args->tilingDataOffset};
    return launch_host(function, blocks, stm, args->args, args->argsSize, holders,
                       count, options);
}

rtError_t rtKernelLaunch(const void *stubFunc,
                         uint32_t numBlocks,
                         void *args,
                         uint32_t argsSize,
                         rtSmDesc_t *smDesc,
                         rtStream_t stm)
{
    rtArgsEx_t all = {.args = args, .argsSize = argsSize};

    return launch(function_of_stub(stubFunc), numBlocks, &all, smDesc, stm, NULL);
}

rtError_t rtKernelLaunchWithFlag(const void *stubFunc,
                                 uint32_t numBlocks,
                                 rtArgsEx_t *argsInfo,
                                 rtSmDesc_t *smDesc,
                                 rtStream_t stm,
                                 uint32_t flags)
{
    (void)flags;
    return launch(function_of_stub(stubFunc), numBlocks, argsInfo, smDesc, stm, NULL);
}

rtError_t rtKernelLaunchWithFlagV2(const void *stubFunc,
                                   uint32_t numBlocks,
                                   rtArgsEx_t *argsInfo,
                                   rtSmDesc_t *smDesc,
                                   rtStream_t stm,
                                   uint32_t flags,
                                   const rtTaskCfgInfo_t *cfgInfo)
{
    (void)cfgInfo;
    return rtKernelLaunchWithFlag(stubFunc, numBlocks, argsInfo, smDesc, stm, flags);
}

rtError_t rtKernelLaunchWithHandle(void *hdl,
                                   const uint64_t tilingKey,
                                   uint32_t numBlocks,
                                   rtArgsEx_t *argsInfo,
                                   rtSmDesc_t *smDesc,
                                   rtStream_t stm,
                                   const void *kernelInfo)
{
    struct function *function;
    aclError error = function_by_key(hdl, tilingKey, &function);

    (void)kernelInfo;
    return error ? error : launch(function, numBlocks, argsInfo, smDesc, stm, NULL);
}

rtError_t rtKernelLaunchWithHandleV2(void *hdl,
                                     const uint64_t tilingKey,
                                     uint32_t numBlocks,
                                     rtArgsEx_t *argsInfo,
                                     rtSmDesc_t *smDesc,
                                     rtStream_t stm,
                                     const rtTaskCfgInfo_t *cfgInfo)
{
    (void)cfgInfo;
    return rtKernelLaunchWithHandle(hdl, tilingKey, numBlocks, argsInfo, smDesc, stm,
                                    NULL);
}

rtError_t rtLaunchKernelByFuncHandle(rtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     rtLaunchArgsHandle argsHandle,
                                     rtStream_t stm)
{
    return sim_aclrtLaunchKernelWithConfig(funcHandle, numBlocks, stm, NULL, argsHandle,
                                           NULL);
}

rtError_t rtLaunchKernelByFuncHandleV2(rtFuncHandle funcHandle,
                                       uint32_t numBlocks,
                                       rtLaunchArgsHandle argsHandle,
                                       rtStream_t stm,
                                       const rtTaskCfgInfo_t *cfgInfo)
{
    (void)cfgInfo;
    return rtLaunchKernelByFuncHandle(funcHandle, numBlocks, argsHandle, stm);
}

rtError_t rtLaunchKernelByFuncHandleV3(rtFuncHandle funcHandle,
                                       uint32_t numBlocks,
                                       const rtArgsEx_t *argsInfo,
                                       rtStream_t stm,
                                       const rtTaskCfgInfo_t *cfgInfo)
{
    (void)cfgInfo;
    return launch(function_of(funcHandle), numBlocks, argsInfo, NULL, stm, NULL);
}

/* Chips with the vector unit in the AI Core have no separate vector cores. */
static aclError check_vector_cores(void)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    return npu_sim_card_vectors(context->card) == 0 ? 0
                                                    : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

static const struct launch_options on_vector_cores = {.vector_core = true};

rtError_t rtVectorCoreKernelLaunch(const void *stubFunc,
                                   uint32_t numBlocks,
                                   rtArgsEx_t *argsInfo,
                                   rtSmDesc_t *smDesc,
                                   rtStream_t stm,
                                   uint32_t flags,
                                   const rtTaskCfgInfo_t *cfgInfo)
{
    aclError error = check_vector_cores();

    (void)flags;
    (void)cfgInfo;
    if (error)
        return error;
    return launch(function_of_stub(stubFunc), numBlocks, argsInfo, smDesc, stm,
                  &on_vector_cores);
}

rtError_t rtVectorCoreKernelLaunchWithHandle(void *hdl,
                                             const uint64_t tilingKey,
                                             uint32_t numBlocks,
                                             rtArgsEx_t *argsInfo,
                                             rtSmDesc_t *smDesc,
                                             rtStream_t stm,
                                             const rtTaskCfgInfo_t *cfgInfo)
{
    struct function *function;
    aclError error = check_vector_cores();

    (void)cfgInfo;
    if (!error)
        error = function_by_key(hdl, tilingKey, &function);
    return error ? error
                 : launch(function, numBlocks, argsInfo, smDesc, stm, &on_vector_cores);
}

/* Takes the tensor description for the dump of a failed kernel. */
rtError_t rtSetExceptionExtInfo(const rtArgsSizeInfo_t *const sizeInfo)
{
    return sizeInfo ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

rtError_t rtsLaunchKernelWithDevArgs(rtFuncHandle funcHandle,
                                     uint32_t numBlocks,
                                     rtStream_t stm,
                                     rtKernelLaunchCfg_t *cfg,
                                     const void *args,
                                     uint32_t argsSize,
                                     void *reserve)
{
    (void)reserve;
    return sim_aclrtLaunchKernelV2(funcHandle, numBlocks, args, argsSize,
                                   (aclrtLaunchKernelCfg *)cfg, stm);
}

rtError_t rtsLaunchKernelWithConfig(rtFuncHandle funcHandle,
                                    uint32_t numBlocks,
                                    rtStream_t stm,
                                    rtKernelLaunchCfg_t *cfg,
                                    rtLaunchArgsHandle argsHandle,
                                    void *reserve)
{
    return sim_aclrtLaunchKernelWithConfig(
        funcHandle, numBlocks, stm, (aclrtLaunchKernelCfg *)cfg, argsHandle, reserve);
}

rtError_t rtsLaunchKernelWithHostArgs(rtFuncHandle funcHandle,
                                      uint32_t numBlocks,
                                      rtStream_t stm,
                                      rtKernelLaunchCfg_t *cfg,
                                      void *hostArgs,
                                      uint32_t argsSize,
                                      rtPlaceHolderInfo_t *placeHolderArray,
                                      uint32_t placeHolderNum)
{
    return sim_aclrtLaunchKernelWithHostArgs(
        funcHandle, numBlocks, stm, (aclrtLaunchKernelCfg *)cfg, hostArgs, argsSize,
        (aclrtPlaceHolderInfo *)placeHolderArray, placeHolderNum);
}

/* Not simulated: graphs of sub-tasks in a hardware descriptor, and functions of later
 * chips. */
rtError_t rtFftsPlusTaskLaunch(rtFftsPlusTaskInfo_t *info, rtStream_t stm)
{
    return rtFftsPlusTaskLaunchWithFlag(info, stm, 0);
}

rtError_t
rtFftsPlusTaskLaunchWithFlag(rtFftsPlusTaskInfo_t *info, rtStream_t stm, uint32_t flag)
{
    (void)stm;
    (void)flag;
    return info ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
}

rtError_t rtFusionLaunch(void *fusionInfo, rtStream_t stm, rtFusionArgsEx_t *argsInfo)
{
    (void)stm;
    (void)argsInfo;
    return fusionInfo ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
}

rtError_t rtCCULaunch(rtCcuTaskInfo_t *taskInfo, rtStream_t stm)
{
    (void)stm;
    return taskInfo ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
}
