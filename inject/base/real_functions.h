/* real_functions.h - the functions that we stand in front of
 *
 * Each is found at its first call, never before: libraries come and go, and a hook may
 * be called before any constructor has run. First among the libraries that are loaded,
 * then by name, then below $ASCEND_HOME_PATH/lib64.
 *
 * While nothing is profiled, `direct` is the function itself, and a hook is a load, a
 * test and a jump. */
#ifndef INJECT_BASE_REAL_FUNCTIONS_H
#define INJECT_BASE_REAL_FUNCTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum layer {
    LAYER_ACL,  /* what programs call */
    LAYER_IMPL, /* what that calls in another library, under the name with Impl */
    LAYER_RT,   /* the runtime below, which programs may call as well */
    LAYER_HCCL,
    LAYER_PROF,
    LAYER_DRIVER,
    LAYER_BOARD, /* what boards tell of themselves; outside the toolkit */
};

/* both forms of a function of the public layer */
#define TWIN(X, name) X(name, LAYER_ACL) X(name##Impl, LAYER_IMPL)

/* All that is hooked; exports.txt has the same names. */
#define HOOKED(X)                                                                      \
    TWIN(X, aclInit)                                                                   \
    TWIN(X, aclFinalize)                                                               \
    TWIN(X, aclFinalizeReference)                                                      \
    TWIN(X, aclrtSetDevice)                                                            \
    TWIN(X, aclrtResetDevice)                                                          \
    TWIN(X, aclrtResetDeviceForce)                                                     \
    TWIN(X, aclrtCreateContext)                                                        \
    X(rtSetDevice, LAYER_RT)                                                           \
    X(rtSetDeviceEx, LAYER_RT)                                                         \
    X(rtSetDeviceV2, LAYER_RT)                                                         \
    X(rtDeviceReset, LAYER_RT)                                                         \
    X(rtDeviceResetEx, LAYER_RT)                                                       \
    X(rtDeviceResetForce, LAYER_RT)                                                    \
    X(rtCtxCreate, LAYER_RT)                                                           \
    X(rtCtxCreateEx, LAYER_RT)                                                         \
    X(rtCtxCreateV2, LAYER_RT)                                                         \
    TWIN(X, aclrtSynchronizeStream)                                                    \
    TWIN(X, aclrtSynchronizeStreamWithTimeout)                                         \
    TWIN(X, aclrtSynchronizeDevice)                                                    \
    TWIN(X, aclrtSynchronizeDeviceWithTimeout)                                         \
    X(rtStreamSynchronize, LAYER_RT)                                                   \
    X(rtStreamSynchronizeWithTimeout, LAYER_RT)                                        \
    X(rtDeviceSynchronize, LAYER_RT)                                                   \
    TWIN(X, aclrtMalloc)                                                               \
    TWIN(X, aclrtMallocAlign32)                                                        \
    TWIN(X, aclrtMallocCached)                                                         \
    TWIN(X, aclrtMallocWithCfg)                                                        \
    TWIN(X, aclrtMallocForTaskScheduler)                                               \
    TWIN(X, aclrtMemAllocManaged)                                                      \
    TWIN(X, aclrtFree)                                                                 \
    TWIN(X, aclrtFreeWithDevSync)                                                      \
    TWIN(X, aclrtMapMem)                                                               \
    TWIN(X, aclrtUnmapMem)                                                             \
    TWIN(X, aclrtIpcMemGetExportKey)                                                   \
    TWIN(X, aclrtIpcMemImportByKey)                                                    \
    TWIN(X, aclrtIpcMemClose)                                                          \
    TWIN(X, aclrtMemcpy)                                                               \
    TWIN(X, aclrtMemcpyAsync)                                                          \
    TWIN(X, aclrtMemset)                                                               \
    TWIN(X, aclrtMemsetAsync)                                                          \
    TWIN(X, aclrtMemcpy2d)                                                             \
    TWIN(X, aclrtMemcpy2dAsync)                                                        \
    TWIN(X, aclrtGetMemInfo)                                                           \
    X(rtMemGetInfo, LAYER_RT)                                                          \
    X(rtMalloc, LAYER_RT)                                                              \
    X(rtFree, LAYER_RT)                                                                \
    X(rtMapMem, LAYER_RT)                                                              \
    X(rtUnmapMem, LAYER_RT)                                                            \
    X(rtMemcpy, LAYER_RT)                                                              \
    X(rtMemcpyAsync, LAYER_RT)                                                         \
    X(rtMemset, LAYER_RT)                                                              \
    TWIN(X, aclrtRecordEvent)                                                          \
    TWIN(X, aclrtStreamWaitEvent)                                                      \
    TWIN(X, aclrtResetEvent)                                                           \
    TWIN(X, aclrtQueryEventStatus)                                                     \
    TWIN(X, aclrtQueryEventWaitStatus)                                                 \
    TWIN(X, aclrtSynchronizeEvent)                                                     \
    TWIN(X, aclrtSynchronizeEventWithTimeout)                                          \
    TWIN(X, aclrtStreamQuery)                                                          \
    TWIN(X, aclrtStreamAbort)                                                          \
    TWIN(X, aclrtDestroyStream)                                                        \
    TWIN(X, aclrtDestroyStreamForce)                                                   \
    TWIN(X, aclrtLaunchCallback)                                                       \
    TWIN(X, aclrtLaunchHostFunc)                                                       \
    TWIN(X, aclrtValueWrite)                                                           \
    TWIN(X, aclrtValueWait)                                                            \
    TWIN(X, aclrtCmoAsync)                                                             \
    TWIN(X, aclmdlRICaptureBegin)                                                      \
    TWIN(X, aclmdlRICaptureEnd)                                                        \
    TWIN(X, aclmdlRICaptureGetInfo)                                                    \
    TWIN(X, aclmdlRICaptureThreadExchangeMode)                                         \
    TWIN(X, aclmdlRIBindStream)                                                        \
    TWIN(X, aclmdlRIUnbindStream)                                                      \
    TWIN(X, aclmdlRIExecuteAsync)                                                      \
    TWIN(X, aclmdlRIExecute)                                                           \
    TWIN(X, aclrtSetCurrentContext)                                                    \
    TWIN(X, aclrtDestroyContext)                                                       \
    X(rtEventRecord, LAYER_RT)                                                         \
    X(rtStreamWaitEvent, LAYER_RT)                                                     \
    X(rtEventSynchronize, LAYER_RT)                                                    \
    X(rtStreamQuery, LAYER_RT)                                                         \
    X(rtStreamDestroy, LAYER_RT)                                                       \
    X(rtCtxSetCurrent, LAYER_RT)                                                       \
    TWIN(X, aclrtCreateBinary)                                                         \
    TWIN(X, aclrtBinaryLoad)                                                           \
    TWIN(X, aclrtBinaryLoadFromFile)                                                   \
    TWIN(X, aclrtBinaryLoadFromData)                                                   \
    TWIN(X, aclrtBinaryUnLoad)                                                         \
    TWIN(X, aclrtBinaryGetFunctionByEntry)                                             \
    TWIN(X, aclrtGetFuncBySymbol)                                                      \
    X(rtDevBinaryRegister, LAYER_RT)                                                   \
    X(rtRegisterAllKernel, LAYER_RT)                                                   \
    X(rtDevBinaryUnRegister, LAYER_RT)                                                 \
    TWIN(X, aclrtBinaryGetFunction)                                                    \
    TWIN(X, aclrtRegisterCpuFunc)                                                      \
    X(rtFunctionRegister, LAYER_RT)                                                    \
    X(rtRegisterFuncSymbol, LAYER_RT)                                                  \
    TWIN(X, aclrtLaunchKernel)                                                         \
    TWIN(X, aclrtLaunchKernelV2)                                                       \
    TWIN(X, aclrtLaunchKernelWithConfig)                                               \
    TWIN(X, aclrtLaunchKernelWithHostArgs)                                             \
    TWIN(X, aclrtLaunchKernelWithArgsArray)                                            \
    TWIN(X, aclrtLaunchSIMTKernelWithArgsArray)                                        \
    TWIN(X, aclrtLaunchSIMTKernelWithHostArgs)                                         \
    X(rtKernelLaunch, LAYER_RT)                                                        \
    X(rtKernelLaunchWithFlag, LAYER_RT)                                                \
    X(rtKernelLaunchWithFlagV2, LAYER_RT)                                              \
    X(rtKernelLaunchWithHandle, LAYER_RT)                                              \
    X(rtKernelLaunchWithHandleV2, LAYER_RT)                                            \
    X(rtLaunchKernelByFuncHandle, LAYER_RT)                                            \
    X(rtLaunchKernelByFuncHandleV2, LAYER_RT)                                          \
    X(rtLaunchKernelByFuncHandleV3, LAYER_RT)                                          \
    X(rtVectorCoreKernelLaunch, LAYER_RT)                                              \
    X(rtVectorCoreKernelLaunchWithHandle, LAYER_RT)                                    \
    X(rtsLaunchKernelWithHostArgs, LAYER_RT)                                           \
    X(rtsLaunchKernelWithConfig, LAYER_RT)                                             \
    X(rtsLaunchKernelWithDevArgs, LAYER_RT)                                            \
    X(rtsLaunchCpuKernel, LAYER_RT)                                                    \
    X(rtFftsPlusTaskLaunch, LAYER_RT)                                                  \
    X(rtFftsPlusTaskLaunchWithFlag, LAYER_RT)                                          \
    X(rtFusionLaunch, LAYER_RT)                                                        \
    X(rtCCULaunch, LAYER_RT)                                                           \
    X(rtAicpuKernelLaunchExWithArgs, LAYER_RT)                                         \
    X(rtAicpuKernelLaunchWithFlag, LAYER_RT)                                           \
    X(rtCpuKernelLaunchWithFlag, LAYER_RT)                                             \
    TWIN(X, aclrtWaitAndResetNotify)                                                   \
    TWIN(X, aclrtRecordNotify)                                                         \
    X(rtNotifyWaitWithTimeOut, LAYER_RT)                                               \
    X(rtNotifyRecord, LAYER_RT)                                                        \
    X(HcclCommInitRootInfo, LAYER_HCCL)                                                \
    X(HcclCommInitRootInfoConfig, LAYER_HCCL)                                          \
    X(HcclCommInitClusterInfo, LAYER_HCCL)                                             \
    X(HcclCommInitClusterInfoConfig, LAYER_HCCL)                                       \
    X(HcclCommInitAll, LAYER_HCCL)                                                     \
    X(HcclCreateSubCommConfig, LAYER_HCCL)                                             \
    X(HcclCommDestroy, LAYER_HCCL)                                                     \
    X(HcomGetCommHandleByGroup, LAYER_HCCL)                                            \
    X(HcclAllocComResourceByTiling, LAYER_HCCL)                                        \
    X(HcclGetAicpuOpStreamAndNotify, LAYER_HCCL)                                       \
    X(HcclGetHcclBuffer, LAYER_HCCL)                                                   \
    X(HcclAllReduce, LAYER_HCCL)                                                       \
    X(HcclBroadcast, LAYER_HCCL)                                                       \
    X(HcclReduceScatter, LAYER_HCCL)                                                   \
    X(HcclReduceScatterV, LAYER_HCCL)                                                  \
    X(HcclScatter, LAYER_HCCL)                                                         \
    X(HcclAllGather, LAYER_HCCL)                                                       \
    X(HcclAllGatherV, LAYER_HCCL)                                                      \
    X(HcclAlltoAll, LAYER_HCCL)                                                        \
    X(HcclAlltoAllV, LAYER_HCCL)                                                       \
    X(HcclAlltoAllVC, LAYER_HCCL)                                                      \
    X(HcclReduce, LAYER_HCCL)                                                          \
    X(HcclBarrier, LAYER_HCCL)                                                         \
    X(HcclSend, LAYER_HCCL)                                                            \
    X(HcclRecv, LAYER_HCCL)                                                            \
    X(HcclBatchSendRecv, LAYER_HCCL)                                                   \
    X(MsprofReportAdditionalInfo, LAYER_PROF)                                          \
    X(MsprofReportBatchAdditionalInfo, LAYER_PROF)                                     \
    X(MsprofReportCompactInfo, LAYER_PROF)                                             \
    X(MsprofReportApi, LAYER_PROF)                                                     \
    X(MsprofReportEvent, LAYER_PROF)                                                   \
    X(MsprofRegisterCallback, LAYER_PROF)                                              \
    X(MsprofNotifySetDevice, LAYER_PROF)

enum original_id {
#define X(name, layer) ORIGINAL_##name,
    HOOKED(X)
#undef X
        ORIGINAL_COUNT
};

struct original {
    const char *name;
    enum layer layer;
    _Atomic(void *) direct; /* while nothing is profiled */
    _Atomic(void *) real;
};

extern struct original originals[ORIGINAL_COUNT];

static inline void *original_direct(enum original_id id)
{
    return atomic_load_explicit(&originals[id].direct, memory_order_relaxed);
}

/* NULL when the installed libraries do not have it. */
void *real_function_get(enum original_id id);
/* What a hook returns without its original: the layer's word for "not supported". */
int original_missing(enum original_id id);
/* The runtime has the functions with Impl: some structs are larger than before. */
bool original_runtime_is_new(void);
/* From now on hooks jump (`yes`), or look first. */
void hooks_set_bypass(int yes);

/* Whether an address is in one of the libraries where this function belongs. */
bool original_is_at_home(enum original_id id, void *address);
/* Any other function of a layer, or NULL. Not remembered. */
void *original_lookup(enum layer layer, const char *name);

#endif
