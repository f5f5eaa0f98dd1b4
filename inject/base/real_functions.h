/* real_functions.h - the runtime functions that inject intercepts
 *
 * The address of a real function is found at its first call. Libraries are loaded and
 * unloaded at any time, and a hook may run before any constructor. The search covers
 * the loaded libraries, then the library by name, then $ASCEND_HOME_PATH/lib64.
 *
 * While nothing is profiled, `bypass` is the address of the function. A hook then costs
 * a load, a test and a jump. */
#ifndef INJECT_BASE_REAL_FUNCTIONS_H
#define INJECT_BASE_REAL_FUNCTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum layer {
    LAYER_ACL,  /* the public functions */
    LAYER_IMPL, /* their implementations in another library, named with Impl */
    LAYER_RT,   /* the runtime below; programs may call it too */
    LAYER_HCCL,
    LAYER_PROF,
    LAYER_DRIVER,
    LAYER_OPERATORS, /* aclnn functions */
    LAYER_DCMI,      /* management library of the cards; not part of the toolkit */
};

/* Both forms of a public function. */
#define WITH_IMPL(X, name) X(name, LAYER_ACL) X(name##Impl, LAYER_IMPL)

/* All intercepted functions; exports.txt lists the same names. */
#define HOOKED_FUNCTIONS(X)                                                            \
    WITH_IMPL(X, aclInit)                                                              \
    WITH_IMPL(X, aclFinalize)                                                          \
    WITH_IMPL(X, aclFinalizeReference)                                                 \
    WITH_IMPL(X, aclrtSetDevice)                                                       \
    WITH_IMPL(X, aclrtResetDevice)                                                     \
    WITH_IMPL(X, aclrtResetDeviceForce)                                                \
    WITH_IMPL(X, aclrtCreateContext)                                                   \
    X(rtSetDevice, LAYER_RT)                                                           \
    X(rtSetDeviceEx, LAYER_RT)                                                         \
    X(rtSetDeviceV2, LAYER_RT)                                                         \
    X(rtDeviceReset, LAYER_RT)                                                         \
    X(rtDeviceResetEx, LAYER_RT)                                                       \
    X(rtDeviceResetForce, LAYER_RT)                                                    \
    X(rtCtxCreate, LAYER_RT)                                                           \
    X(rtCtxCreateEx, LAYER_RT)                                                         \
    X(rtCtxCreateV2, LAYER_RT)                                                         \
    WITH_IMPL(X, aclrtSynchronizeStream)                                               \
    WITH_IMPL(X, aclrtSynchronizeStreamWithTimeout)                                    \
    WITH_IMPL(X, aclrtSynchronizeDevice)                                               \
    WITH_IMPL(X, aclrtSynchronizeDeviceWithTimeout)                                    \
    X(rtStreamSynchronize, LAYER_RT)                                                   \
    X(rtStreamSynchronizeWithTimeout, LAYER_RT)                                        \
    X(rtDeviceSynchronize, LAYER_RT)                                                   \
    WITH_IMPL(X, aclrtMalloc)                                                          \
    WITH_IMPL(X, aclrtMallocAlign32)                                                   \
    WITH_IMPL(X, aclrtMallocCached)                                                    \
    WITH_IMPL(X, aclrtMallocWithCfg)                                                   \
    WITH_IMPL(X, aclrtMallocForTaskScheduler)                                          \
    WITH_IMPL(X, aclrtMemAllocManaged)                                                 \
    WITH_IMPL(X, aclrtFree)                                                            \
    WITH_IMPL(X, aclrtFreeWithDevSync)                                                 \
    WITH_IMPL(X, aclrtMapMem)                                                          \
    WITH_IMPL(X, aclrtUnmapMem)                                                        \
    WITH_IMPL(X, aclrtIpcMemGetExportKey)                                              \
    WITH_IMPL(X, aclrtIpcMemImportByKey)                                               \
    WITH_IMPL(X, aclrtIpcMemClose)                                                     \
    WITH_IMPL(X, aclrtMemcpy)                                                          \
    WITH_IMPL(X, aclrtMemcpyAsync)                                                     \
    WITH_IMPL(X, aclrtMemset)                                                          \
    WITH_IMPL(X, aclrtMemsetAsync)                                                     \
    WITH_IMPL(X, aclrtMemcpy2d)                                                        \
    WITH_IMPL(X, aclrtMemcpy2dAsync)                                                   \
    WITH_IMPL(X, aclrtGetMemInfo)                                                      \
    X(rtMemGetInfo, LAYER_RT)                                                          \
    X(rtMalloc, LAYER_RT)                                                              \
    X(rtFree, LAYER_RT)                                                                \
    X(rtMapMem, LAYER_RT)                                                              \
    X(rtUnmapMem, LAYER_RT)                                                            \
    X(rtMemcpy, LAYER_RT)                                                              \
    X(rtMemcpyAsync, LAYER_RT)                                                         \
    X(rtMemset, LAYER_RT)                                                              \
    WITH_IMPL(X, aclrtRecordEvent)                                                     \
    WITH_IMPL(X, aclrtStreamWaitEvent)                                                 \
    WITH_IMPL(X, aclrtResetEvent)                                                      \
    WITH_IMPL(X, aclrtQueryEventStatus)                                                \
    WITH_IMPL(X, aclrtQueryEventWaitStatus)                                            \
    WITH_IMPL(X, aclrtSynchronizeEvent)                                                \
    WITH_IMPL(X, aclrtSynchronizeEventWithTimeout)                                     \
    WITH_IMPL(X, aclrtStreamQuery)                                                     \
    WITH_IMPL(X, aclrtStreamAbort)                                                     \
    WITH_IMPL(X, aclrtDestroyStream)                                                   \
    WITH_IMPL(X, aclrtDestroyStreamForce)                                              \
    WITH_IMPL(X, aclrtLaunchCallback)                                                  \
    WITH_IMPL(X, aclrtLaunchHostFunc)                                                  \
    WITH_IMPL(X, aclrtValueWrite)                                                      \
    WITH_IMPL(X, aclrtValueWait)                                                       \
    WITH_IMPL(X, aclrtCmoAsync)                                                        \
    WITH_IMPL(X, aclmdlRICaptureBegin)                                                 \
    WITH_IMPL(X, aclmdlRICaptureEnd)                                                   \
    WITH_IMPL(X, aclmdlRICaptureGetInfo)                                               \
    WITH_IMPL(X, aclmdlRICaptureThreadExchangeMode)                                    \
    WITH_IMPL(X, aclmdlRIBindStream)                                                   \
    WITH_IMPL(X, aclmdlRIUnbindStream)                                                 \
    WITH_IMPL(X, aclmdlRIExecuteAsync)                                                 \
    WITH_IMPL(X, aclmdlRIExecute)                                                      \
    WITH_IMPL(X, aclrtSetCurrentContext)                                               \
    WITH_IMPL(X, aclrtDestroyContext)                                                  \
    X(rtEventRecord, LAYER_RT)                                                         \
    X(rtStreamWaitEvent, LAYER_RT)                                                     \
    X(rtEventSynchronize, LAYER_RT)                                                    \
    X(rtStreamQuery, LAYER_RT)                                                         \
    X(rtStreamDestroy, LAYER_RT)                                                       \
    X(rtCtxSetCurrent, LAYER_RT)                                                       \
    WITH_IMPL(X, aclrtCreateBinary)                                                    \
    WITH_IMPL(X, aclrtBinaryLoad)                                                      \
    WITH_IMPL(X, aclrtBinaryLoadFromFile)                                              \
    WITH_IMPL(X, aclrtBinaryLoadFromData)                                              \
    WITH_IMPL(X, aclrtBinaryUnLoad)                                                    \
    WITH_IMPL(X, aclrtBinaryGetFunctionByEntry)                                        \
    WITH_IMPL(X, aclrtGetFuncBySymbol)                                                 \
    X(rtDevBinaryRegister, LAYER_RT)                                                   \
    X(rtRegisterAllKernel, LAYER_RT)                                                   \
    X(rtDevBinaryUnRegister, LAYER_RT)                                                 \
    WITH_IMPL(X, aclrtBinaryGetFunction)                                               \
    WITH_IMPL(X, aclrtRegisterCpuFunc)                                                 \
    X(rtFunctionRegister, LAYER_RT)                                                    \
    X(rtRegisterFuncSymbol, LAYER_RT)                                                  \
    WITH_IMPL(X, aclrtLaunchKernel)                                                    \
    WITH_IMPL(X, aclrtLaunchKernelV2)                                                  \
    WITH_IMPL(X, aclrtLaunchKernelWithConfig)                                          \
    WITH_IMPL(X, aclrtLaunchKernelWithHostArgs)                                        \
    WITH_IMPL(X, aclrtLaunchKernelWithArgsArray)                                       \
    WITH_IMPL(X, aclrtLaunchSIMTKernelWithArgsArray)                                   \
    WITH_IMPL(X, aclrtLaunchSIMTKernelWithHostArgs)                                    \
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
    WITH_IMPL(X, aclrtWaitAndResetNotify)                                              \
    WITH_IMPL(X, aclrtRecordNotify)                                                    \
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
    X(aclnnMoeDistributeDispatchGetWorkspaceSize, LAYER_OPERATORS)                     \
    X(aclnnMoeDistributeDispatch, LAYER_OPERATORS)                                     \
    X(aclnnMoeDistributeDispatchV2GetWorkspaceSize, LAYER_OPERATORS)                   \
    X(aclnnMoeDistributeDispatchV2, LAYER_OPERATORS)                                   \
    X(aclnnMoeDistributeDispatchV3GetWorkspaceSize, LAYER_OPERATORS)                   \
    X(aclnnMoeDistributeDispatchV3, LAYER_OPERATORS)                                   \
    X(aclnnMoeDistributeDispatchV4GetWorkspaceSize, LAYER_OPERATORS)                   \
    X(aclnnMoeDistributeDispatchV4, LAYER_OPERATORS)                                   \
    X(aclnnMoeDistributeDispatchTeardownGetWorkspaceSize, LAYER_OPERATORS)             \
    X(aclnnMoeDistributeDispatchTeardown, LAYER_OPERATORS)                             \
    X(MsprofReportAdditionalInfo, LAYER_PROF)                                          \
    X(MsprofReportBatchAdditionalInfo, LAYER_PROF)                                     \
    X(MsprofReportCompactInfo, LAYER_PROF)                                             \
    X(MsprofReportApi, LAYER_PROF)                                                     \
    X(MsprofReportEvent, LAYER_PROF)                                                   \
    X(MsprofRegisterCallback, LAYER_PROF)                                              \
    X(MsprofNotifySetDevice, LAYER_PROF)

enum hooked_function {
#define X(name, layer) HOOKED_##name,
    HOOKED_FUNCTIONS(X)
#undef X
        HOOKED_COUNT
};

struct real_function {
    const char *name;
    enum layer layer;
    _Atomic(void *) bypass; /* NULL while launches are profiled */
    _Atomic(void *) real;
};

extern struct real_function real_functions[HOOKED_COUNT];

static inline void *real_function_bypass(enum hooked_function id)
{
    return atomic_load_explicit(&real_functions[id].bypass, memory_order_relaxed);
}

/* Returns NULL when the installed libraries lack the function. */
void *real_function_get(enum hooked_function id);
/* Returns the result of a hook whose real function is missing: "not supported". */
int real_function_missing(enum hooked_function id);
/* Returns true when the runtime exports functions with Impl. Some of its structs are
 * then larger than in older releases. */
bool real_functions_have_impl(void);
/* on: hooks jump to the real functions at once. off: hooks run their own code. */
void hooks_set_bypass(int on);

/* Returns true when the address lies in a library that defines this function. */
bool real_function_owns_address(enum hooked_function id, void *address);
/* Finds any other function of a layer, or returns NULL. Searches at each call. */
void *real_function_lookup(enum layer layer, const char *name);

#endif
