/* calls.h - the table of all acl functions that the simulator implements
 *
 * CALL(name, parameters, arguments) returns an aclError; ASK(type, name, ...) returns
 * another type. The table generates three things: the public libraries (name calls
 * nameImpl), the runtime (nameImpl calls sim_name and stores its error) and the
 * prototypes of the runtime. VIA(name, parameters, arguments, call) is a CALL whose
 * nameImpl calls the older layer instead. That call can be hooked, too, unless
 * libruntime.so is linked with -Bsymbolic. */
#ifndef SIM_ACL_CALLS_H
#define SIM_ACL_CALLS_H

#define ACL_CALLS(CALL, ASK, VIA)                                                      \
    CALL(aclInit, (const char *configPath), (configPath))                              \
    CALL(aclFinalize, (void), ())                                                      \
    CALL(aclFinalizeReference, (uint64_t * refCount), (refCount))                      \
    ASK(const char *, aclGetRecentErrMsg, (void), ())                                  \
    CALL(aclrtGetVersion,                                                              \
         (int32_t * majorVersion, int32_t * minorVersion, int32_t * patchVersion),     \
         (majorVersion, minorVersion, patchVersion))                                   \
    CALL(aclsysGetCANNVersion,                                                         \
         (aclCANNPackageName name, aclCANNPackageVersion * version), (name, version))  \
    ASK(const char *, aclrtGetSocName, (void), ())                                     \
    CALL(aclrtGetRunMode, (aclrtRunMode * runMode), (runMode))                         \
    CALL(aclrtGetDeviceCount, (uint32_t * count), (count))                             \
    VIA(aclrtSetDevice, (int32_t deviceId), (deviceId), rtSetDevice(deviceId))         \
    VIA(aclrtGetDevice, (int32_t * deviceId), (deviceId), rtGetDevice(deviceId))       \
    VIA(aclrtResetDevice, (int32_t deviceId), (deviceId), rtDeviceReset(deviceId))     \
    VIA(aclrtResetDeviceForce, (int32_t deviceId), (deviceId),                         \
        rtDeviceResetForce(deviceId))                                                  \
    CALL(aclrtGetDeviceInfo, (uint32_t deviceId, aclrtDevAttr attr, int64_t * value),  \
         (deviceId, attr, value))                                                      \
    CALL(aclrtQueryDeviceStatus, (int32_t deviceId, aclrtDeviceStatus * deviceStatus), \
         (deviceId, deviceStatus))                                                     \
    VIA(aclrtSynchronizeDevice, (void), (), rtDeviceSynchronize())                     \
    CALL(aclrtSynchronizeDeviceWithTimeout, (int32_t timeout), (timeout))              \
    CALL(aclrtGetLogicDevIdByUserDevId,                                                \
         (const int32_t userDevid, int32_t *const logicDevId),                         \
         (userDevid, logicDevId))                                                      \
    CALL(aclrtGetUserDevIdByLogicDevId,                                                \
         (const int32_t logicDevId, int32_t *const userDevid),                         \
         (logicDevId, userDevid))                                                      \
    VIA(aclrtCreateContext, (aclrtContext * context, int32_t deviceId),                \
        (context, deviceId), rtCtxCreateEx(context, 0, deviceId))                      \
    VIA(aclrtDestroyContext, (aclrtContext context), (context), rtCtxDestroy(context)) \
    VIA(aclrtSetCurrentContext, (aclrtContext context), (context),                     \
        rtCtxSetCurrent(context))                                                      \
    VIA(aclrtGetCurrentContext, (aclrtContext * context), (context),                   \
        rtCtxGetCurrent(context))                                                      \
    VIA(aclrtCtxGetCurrentDefaultStream, (aclrtStream * stream), (stream),             \
        rtCtxGetCurrentDefaultStream(stream))                                          \
    VIA(aclrtCreateStream, (aclrtStream * stream), (stream),                           \
        rtStreamCreate(stream, 0))                                                     \
    CALL(aclrtCreateStreamWithConfig,                                                  \
         (aclrtStream * stream, uint32_t priority, uint32_t flag),                     \
         (stream, priority, flag))                                                     \
    VIA(aclrtDestroyStream, (aclrtStream stream), (stream), rtStreamDestroy(stream))   \
    CALL(aclrtDestroyStreamForce, (aclrtStream stream), (stream))                      \
    VIA(aclrtSynchronizeStream, (aclrtStream stream), (stream),                        \
        rtStreamSynchronize(stream))                                                   \
    VIA(aclrtSynchronizeStreamWithTimeout, (aclrtStream stream, int32_t timeout),      \
        (stream, timeout), rtStreamSynchronizeWithTimeout(stream, timeout))            \
    CALL(aclrtStreamQuery, (aclrtStream stream, aclrtStreamStatus * status),           \
         (stream, status))                                                             \
    VIA(aclrtStreamGetId, (aclrtStream stream, int32_t * streamId),                    \
        (stream, streamId), rtGetStreamId(stream, streamId))                           \
    CALL(aclrtStreamAbort, (aclrtStream stream), (stream))                             \
    CALL(aclrtCreateEvent, (aclrtEvent * event), (event))                              \
    VIA(aclrtCreateEventWithFlag, (aclrtEvent * event, uint32_t flag), (event, flag),  \
        rtEventCreateWithFlag(event, flag))                                            \
    CALL(aclrtCreateEventExWithFlag, (aclrtEvent * event, uint32_t flag),              \
         (event, flag))                                                                \
    VIA(aclrtDestroyEvent, (aclrtEvent event), (event), rtEventDestroy(event))         \
    VIA(aclrtRecordEvent, (aclrtEvent event, aclrtStream stream), (event, stream),     \
        rtEventRecord(event, stream))                                                  \
    VIA(aclrtResetEvent, (aclrtEvent event, aclrtStream stream), (event, stream),      \
        rtEventReset(event, stream))                                                   \
    VIA(aclrtStreamWaitEvent, (aclrtStream stream, aclrtEvent event), (stream, event), \
        rtStreamWaitEvent(stream, event))                                              \
    CALL(aclrtQueryEventStatus, (aclrtEvent event, aclrtEventRecordedStatus * status), \
         (event, status))                                                              \
    CALL(aclrtQueryEventWaitStatus, (aclrtEvent event, aclrtEventWaitStatus * status), \
         (event, status))                                                              \
    VIA(aclrtSynchronizeEvent, (aclrtEvent event), (event), rtEventSynchronize(event)) \
    CALL(aclrtSynchronizeEventWithTimeout, (aclrtEvent event, int32_t timeout),        \
         (event, timeout))                                                             \
    VIA(aclrtEventElapsedTime,                                                         \
        (float *ms, aclrtEvent startEvent, aclrtEvent endEvent),                       \
        (ms, startEvent, endEvent), rtEventElapsedTime(ms, startEvent, endEvent))      \
    CALL(aclrtEventGetTimestamp, (aclrtEvent event, uint64_t * timestamp),             \
         (event, timestamp))                                                           \
    CALL(aclrtCreateNotify, (aclrtNotify * notify, uint64_t flag), (notify, flag))     \
    VIA(aclrtDestroyNotify, (aclrtNotify notify), (notify), rtNotifyDestroy(notify))   \
    VIA(aclrtRecordNotify, (aclrtNotify notify, aclrtStream stream), (notify, stream), \
        rtNotifyRecord(notify, stream))                                                \
    VIA(aclrtWaitAndResetNotify,                                                       \
        (aclrtNotify notify, aclrtStream stream, uint32_t timeout),                    \
        (notify, stream, timeout), rtNotifyWaitWithTimeOut(notify, stream, timeout))   \
    CALL(aclrtGetNotifyId, (aclrtNotify notify, uint32_t * notifyId),                  \
         (notify, notifyId))                                                           \
    CALL(aclrtDeviceCanAccessPeer,                                                     \
         (int32_t * canAccessPeer, int32_t deviceId, int32_t peerDeviceId),            \
         (canAccessPeer, deviceId, peerDeviceId))                                      \
    CALL(aclrtDeviceEnablePeerAccess, (int32_t peerDeviceId, uint32_t flags),          \
         (peerDeviceId, flags))                                                        \
    CALL(aclrtDeviceDisablePeerAccess, (int32_t peerDeviceId), (peerDeviceId))         \
    CALL(aclrtIpcMemGetExportKey,                                                      \
         (void *devPtr, size_t size, char *key, size_t len, uint64_t flags),           \
         (devPtr, size, key, len, flags))                                              \
    CALL(aclrtIpcMemSetImportPid, (const char *key, int32_t *pid, size_t num),         \
         (key, pid, num))                                                              \
    CALL(aclrtIpcMemImportByKey, (void **devPtr, const char *key, uint64_t flags),     \
         (devPtr, key, flags))                                                         \
    CALL(aclrtIpcMemClose, (const char *key), (key))                                   \
    VIA(aclrtMalloc, (void **devPtr, size_t size, aclrtMemMallocPolicy policy),        \
        (devPtr, size, policy),                                                        \
        rtMalloc(devPtr, size, rt_memory_type(policy), RT_MODULE_APP))                 \
    CALL(aclrtMallocAlign32,                                                           \
         (void **devPtr, size_t size, aclrtMemMallocPolicy policy),                    \
         (devPtr, size, policy))                                                       \
    CALL(aclrtMallocCached, (void **devPtr, size_t size, aclrtMemMallocPolicy policy), \
         (devPtr, size, policy))                                                       \
    CALL(aclrtMallocWithCfg,                                                           \
         (void **devPtr, size_t size, aclrtMemMallocPolicy policy,                     \
          aclrtMallocConfig *cfg),                                                     \
         (devPtr, size, policy, cfg))                                                  \
    VIA(aclrtFree, (void *devPtr), (devPtr), rtFree(devPtr))                           \
    VIA(aclrtMallocHost, (void **hostPtr, size_t size), (hostPtr, size),               \
        rtMallocHost(hostPtr, size, RT_MODULE_APP))                                    \
    CALL(aclrtMallocHostWithCfg, (void **ptr, uint64_t size, aclrtMallocConfig *cfg),  \
         (ptr, size, cfg))                                                             \
    VIA(aclrtFreeHost, (void *hostPtr), (hostPtr), rtFreeHost(hostPtr))                \
    CALL(aclrtGetMemInfo, (aclrtMemAttr attr, size_t * free, size_t * total),          \
         (attr, free, total))                                                          \
    CALL(aclrtPointerGetAttributes, (const void *ptr, aclrtPtrAttributes *attributes), \
         (ptr, attributes))                                                            \
    CALL(aclrtReserveMemAddress,                                                       \
         (void **virPtr, size_t size, size_t alignment, void *expectPtr,               \
          uint64_t flags),                                                             \
         (virPtr, size, alignment, expectPtr, flags))                                  \
    CALL(aclrtReleaseMemAddress, (void *virPtr), (virPtr))                             \
    CALL(aclrtMallocPhysical,                                                          \
         (aclrtDrvMemHandle * handle, size_t size, const aclrtPhysicalMemProp *prop,   \
          uint64_t flags),                                                             \
         (handle, size, prop, flags))                                                  \
    CALL(aclrtFreePhysical, (aclrtDrvMemHandle handle), (handle))                      \
    VIA(aclrtMapMem,                                                                   \
        (void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,           \
         uint64_t flags),                                                              \
        (virPtr, size, offset, handle, flags),                                         \
        rtMapMem(virPtr, size, offset, handle, flags))                                 \
    VIA(aclrtUnmapMem, (void *virPtr), (virPtr), rtUnmapMem(virPtr))                   \
    VIA(aclrtMemcpy,                                                                   \
        (void *dst, size_t destMax, const void *src, size_t count,                     \
         aclrtMemcpyKind kind),                                                        \
        (dst, destMax, src, count, kind),                                              \
        rtMemcpy(dst, destMax, src, count, (rtMemcpyKind_t)kind))                      \
    VIA(aclrtMemcpyAsync,                                                              \
        (void *dst, size_t destMax, const void *src, size_t count,                     \
         aclrtMemcpyKind kind, aclrtStream stream),                                    \
        (dst, destMax, src, count, kind, stream),                                      \
        rtMemcpyAsync(dst, destMax, src, count, (rtMemcpyKind_t)kind, stream))         \
    CALL(aclrtMemcpy2d,                                                                \
         (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,      \
          size_t height, aclrtMemcpyKind kind),                                        \
         (dst, dpitch, src, spitch, width, height, kind))                              \
    CALL(aclrtMemcpy2dAsync,                                                           \
         (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,      \
          size_t height, aclrtMemcpyKind kind, aclrtStream stream),                    \
         (dst, dpitch, src, spitch, width, height, kind, stream))                      \
    VIA(aclrtMemset, (void *devPtr, size_t maxCount, int32_t value, size_t count),     \
        (devPtr, maxCount, value, count),                                              \
        rtMemset(devPtr, maxCount, (uint32_t)value, count))                            \
    VIA(aclrtMemsetAsync,                                                              \
        (void *devPtr, size_t maxCount, int32_t value, size_t count,                   \
         aclrtStream stream),                                                          \
        (devPtr, maxCount, value, count, stream),                                      \
        rtMemsetAsync(devPtr, maxCount, (uint32_t)value, count, stream))               \
    CALL(aclrtCmoAsync,                                                                \
         (void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream),           \
         (src, size, cmoType, stream))                                                 \
    ASK(aclrtBinary, aclrtCreateBinary, (const void *data, size_t dataLen),            \
        (data, dataLen))                                                               \
    CALL(aclrtDestroyBinary, (aclrtBinary binary), (binary))                           \
    CALL(aclrtBinaryLoad, (const aclrtBinary binary, aclrtBinHandle *binHandle),       \
         (binary, binHandle))                                                          \
    CALL(aclrtBinaryUnLoad, (aclrtBinHandle binHandle), (binHandle))                   \
    CALL(aclrtBinaryLoadFromFile,                                                      \
         (const char *binPath, aclrtBinaryLoadOptions *options,                        \
          aclrtBinHandle *binHandle),                                                  \
         (binPath, options, binHandle))                                                \
    CALL(aclrtBinaryLoadFromData,                                                      \
         (const void *data, size_t length, const aclrtBinaryLoadOptions *options,      \
          aclrtBinHandle *binHandle),                                                  \
         (data, length, options, binHandle))                                           \
    CALL(aclrtBinaryGetFunction,                                                       \
         (const aclrtBinHandle binHandle, const char *kernelName,                      \
          aclrtFuncHandle *funcHandle),                                                \
         (binHandle, kernelName, funcHandle))                                          \
    CALL(aclrtBinaryGetFunctionByEntry,                                                \
         (aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle * funcHandle), \
         (binHandle, funcEntry, funcHandle))                                           \
    CALL(aclrtRegisterCpuFunc,                                                         \
         (const aclrtBinHandle handle, const char *funcName, const char *kernelName,   \
          aclrtFuncHandle *funcHandle),                                                \
         (handle, funcName, kernelName, funcHandle))                                   \
    CALL(aclrtBinaryGetDevAddress,                                                     \
         (const aclrtBinHandle binHandle, void **binAddr, size_t *binSize),            \
         (binHandle, binAddr, binSize))                                                \
    CALL(aclrtGetFunctionName,                                                         \
         (aclrtFuncHandle funcHandle, uint32_t maxLen, char *name),                    \
         (funcHandle, maxLen, name))                                                   \
    CALL(aclrtGetFunctionAddr,                                                         \
         (aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr),                 \
         (funcHandle, aicAddr, aivAddr))                                               \
    CALL(aclrtGetFunctionAttribute,                                                    \
         (aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,                     \
          int64_t * attrValue),                                                        \
         (funcHandle, attrType, attrValue))                                            \
    CALL(aclrtKernelArgsInit,                                                          \
         (aclrtFuncHandle funcHandle, aclrtArgsHandle * argsHandle),                   \
         (funcHandle, argsHandle))                                                     \
    CALL(aclrtKernelArgsInitByUserMem,                                                 \
         (aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem,   \
          size_t actualArgsSize),                                                      \
         (funcHandle, argsHandle, userHostMem, actualArgsSize))                        \
    CALL(aclrtKernelArgsGetMemSize,                                                    \
         (aclrtFuncHandle funcHandle, size_t userArgsSize, size_t * actualArgsSize),   \
         (funcHandle, userArgsSize, actualArgsSize))                                   \
    CALL(aclrtKernelArgsGetHandleMemSize,                                              \
         (aclrtFuncHandle funcHandle, size_t * memSize), (funcHandle, memSize))        \
    CALL(aclrtKernelArgsAppend,                                                        \
         (aclrtArgsHandle argsHandle, void *param, size_t paramSize,                   \
          aclrtParamHandle *paramHandle),                                              \
         (argsHandle, param, paramSize, paramHandle))                                  \
    CALL(aclrtKernelArgsAppendPlaceHolder,                                             \
         (aclrtArgsHandle argsHandle, aclrtParamHandle * paramHandle),                 \
         (argsHandle, paramHandle))                                                    \
    CALL(aclrtKernelArgsGetPlaceHolderBuffer,                                          \
         (aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,   \
          void **bufferAddr),                                                          \
         (argsHandle, paramHandle, dataSize, bufferAddr))                              \
    CALL(aclrtKernelArgsParaUpdate,                                                    \
         (aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param,       \
          size_t paramSize),                                                           \
         (argsHandle, paramHandle, param, paramSize))                                  \
    CALL(aclrtKernelArgsFinalize, (aclrtArgsHandle argsHandle), (argsHandle))          \
    VIA(aclrtLaunchKernel,                                                             \
        (aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,         \
         size_t argsSize, aclrtStream stream),                                         \
        (funcHandle, numBlocks, argsData, argsSize, stream),                           \
        rtsLaunchKernelWithDevArgs(funcHandle, numBlocks, stream, NULL, argsData,      \
                                   rt_size(argsSize), NULL))                           \
    VIA(aclrtLaunchKernelV2,                                                           \
        (aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,         \
         size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream),              \
        (funcHandle, numBlocks, argsData, argsSize, cfg, stream),                      \
        rtsLaunchKernelWithDevArgs(funcHandle, numBlocks, stream,                      \
                                   (rtKernelLaunchCfg_t *)cfg, argsData,               \
                                   rt_size(argsSize), NULL))                           \
    VIA(aclrtLaunchKernelWithConfig,                                                   \
        (aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,           \
         aclrtLaunchKernelCfg * cfg, aclrtArgsHandle argsHandle, void *reserve),       \
        (funcHandle, numBlocks, stream, cfg, argsHandle, reserve),                     \
        rtsLaunchKernelWithConfig(funcHandle, numBlocks, stream,                       \
                                  (rtKernelLaunchCfg_t *)cfg, argsHandle, reserve))    \
    VIA(aclrtLaunchKernelWithHostArgs,                                                 \
        (aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,           \
         aclrtLaunchKernelCfg * cfg, void *hostArgs, size_t argsSize,                  \
         aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum),               \
        (funcHandle, numBlocks, stream, cfg, hostArgs, argsSize, placeHolderArray,     \
         placeHolderNum),                                                              \
        rtsLaunchKernelWithHostArgs(                                                   \
            funcHandle, numBlocks, stream, (rtKernelLaunchCfg_t *)cfg, hostArgs,       \
            rt_size(argsSize), (rtPlaceHolderInfo_t *)placeHolderArray,                \
            rt_size(placeHolderNum)))                                                  \
    CALL(aclrtLaunchKernelWithArgsArray,                                               \
         (void *func, uint32_t numBlocks, aclrtStream stream,                          \
          aclrtLaunchKernelCfg *cfg, void **args),                                     \
         (func, numBlocks, stream, cfg, args))                                         \
    CALL(aclrtLaunchHostFunc, (aclrtStream stream, aclrtHostFunc fn, void *args),      \
         (stream, fn, args))                                                           \
    CALL(aclrtLaunchCallback,                                                          \
         (aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,          \
          aclrtStream stream),                                                         \
         (fn, userData, blockType, stream))                                            \
    CALL(aclrtSubscribeReport, (uint64_t threadId, aclrtStream stream),                \
         (threadId, stream))                                                           \
    CALL(aclrtUnSubscribeReport, (uint64_t threadId, aclrtStream stream),              \
         (threadId, stream))                                                           \
    CALL(aclrtProcessReport, (int32_t timeout), (timeout))                             \
    CALL(aclmdlRICaptureBegin, (aclrtStream stream, aclmdlRICaptureMode mode),         \
         (stream, mode))                                                               \
    CALL(aclmdlRICaptureEnd, (aclrtStream stream, aclmdlRI * modelRI),                 \
         (stream, modelRI))                                                            \
    CALL(aclmdlRICaptureGetInfo,                                                       \
         (aclrtStream stream, aclmdlRICaptureStatus * status, aclmdlRI * modelRI),     \
         (stream, status, modelRI))                                                    \
    CALL(aclmdlRICaptureThreadExchangeMode, (aclmdlRICaptureMode * mode), (mode))      \
    CALL(aclmdlRIExecuteAsync, (aclmdlRI modelRI, aclrtStream stream),                 \
         (modelRI, stream))                                                            \
    CALL(aclmdlRIExecute, (aclmdlRI modelRI, int32_t timeout), (modelRI, timeout))     \
    CALL(aclmdlRIDestroy, (aclmdlRI modelRI), (modelRI))                               \
    CALL(aclmdlRIBindStream, (aclmdlRI modelRI, aclrtStream stream, uint32_t flag),    \
         (modelRI, stream, flag))                                                      \
    CALL(aclmdlRIUnbindStream, (aclmdlRI modelRI, aclrtStream stream),                 \
         (modelRI, stream))                                                            \
    CALL(aclrtSetOpExecuteTimeOut, (uint32_t timeout), (timeout))                      \
    CALL(aclrtSetOpWaitTimeout, (uint32_t timeout), (timeout))                         \
    CALL(aclrtGetOpExecuteTimeout, (uint32_t *const timeoutMs), (timeoutMs))           \
    CALL(aclrtGetHardwareSyncAddr, (void **addr), (addr))                              \
    ASK(aclError, aclrtPeekAtLastError, (aclrtLastErrLevel level), (level))            \
    ASK(aclError, aclrtGetLastError, (aclrtLastErrLevel level), (level))               \
    CALL(aclrtSetExceptionInfoCallback, (aclrtExceptionInfoCallback callback),         \
         (callback))                                                                   \
    ASK(uint32_t, aclrtGetTaskIdFromExceptionInfo, (const aclrtExceptionInfo *info),   \
        (info))                                                                        \
    ASK(uint32_t, aclrtGetStreamIdFromExceptionInfo, (const aclrtExceptionInfo *info), \
        (info))                                                                        \
    ASK(uint32_t, aclrtGetThreadIdFromExceptionInfo, (const aclrtExceptionInfo *info), \
        (info))                                                                        \
    ASK(uint32_t, aclrtGetDeviceIdFromExceptionInfo, (const aclrtExceptionInfo *info), \
        (info))                                                                        \
    ASK(uint32_t, aclrtGetErrorCodeFromExceptionInfo,                                  \
        (const aclrtExceptionInfo *info), (info))                                      \
    CALL(aclrtCreateStreamV2,                                                          \
         (aclrtStream * stream, const aclrtStreamConfigHandle *handle),                \
         (stream, handle))                                                             \
    ASK(aclrtStreamConfigHandle *, aclrtCreateStreamConfigHandle, (void), ())          \
    CALL(aclrtDestroyStreamConfigHandle, (aclrtStreamConfigHandle * handle), (handle)) \
    CALL(aclrtSetStreamConfigOpt,                                                      \
         (aclrtStreamConfigHandle * handle, aclrtStreamConfigAttr attr,                \
          const void *attrValue, size_t valueSize),                                    \
         (handle, attr, attrValue, valueSize))                                         \
    CALL(aclrtNotifyGetExportKey,                                                      \
         (aclrtNotify notify, char *key, size_t len, uint64_t flags),                  \
         (notify, key, len, flags))                                                    \
    CALL(aclrtNotifyImportByKey,                                                       \
         (aclrtNotify * notify, const char *key, uint64_t flags),                      \
         (notify, key, flags))                                                         \
    CALL(aclrtNotifySetImportPid, (aclrtNotify notify, int32_t * pid, size_t num),     \
         (notify, pid, num))                                                           \
    CALL(aclrtValueWrite,                                                              \
         (void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream),           \
         (devAddr, value, flag, stream))                                               \
    CALL(aclrtValueWait,                                                               \
         (void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream),           \
         (devAddr, value, flag, stream))                                               \
    CALL(aclrtMallocForTaskScheduler,                                                  \
         (void **devPtr, size_t size, aclrtMemMallocPolicy policy,                     \
          aclrtMallocConfig *cfg),                                                     \
         (devPtr, size, policy, cfg))                                                  \
    CALL(aclrtMemAllocManaged, (void **ptr, uint64_t size, uint32_t flag),             \
         (ptr, size, flag))                                                            \
    CALL(aclrtFreeWithDevSync, (void *devPtr), (devPtr))                               \
    CALL(aclrtGetPhyDevIdByLogicDevId,                                                 \
         (const int32_t logicDevId, int32_t *const phyDevId), (logicDevId, phyDevId))  \
    CALL(aclrtGetLogicDevIdByPhyDevId,                                                 \
         (const int32_t phyDevId, int32_t *const logicDevId), (phyDevId, logicDevId))  \
    CALL(aclrtGetDevicesTopo,                                                          \
         (uint32_t deviceId, uint32_t otherDeviceId, uint64_t * value),                \
         (deviceId, otherDeviceId, value))                                             \
    CALL(aclrtGetFuncBySymbol, (const void *symbol, aclrtFuncHandle *funcHandle),      \
         (symbol, funcHandle))                                                         \
    CALL(aclrtLaunchSIMTKernelWithArgsArray,                                           \
         (void *func, dim3 gridDim, dim3 blockDim, size_t dynUBufSize,                 \
          aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args),                 \
         (func, gridDim, blockDim, dynUBufSize, stream, cfg, args))                    \
    CALL(aclrtLaunchSIMTKernelWithHostArgs,                                            \
         (void *func, dim3 gridDim, dim3 blockDim, size_t dynUBufSize,                 \
          aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs,               \
          size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,                     \
          size_t placeHolderNum),                                                      \
         (func, gridDim, blockDim, dynUBufSize, stream, cfg, hostArgs, argsSize,       \
          placeHolderArray, placeHolderNum))                                           \
    CALL(aclrtDeviceTaskAbort, (int32_t deviceId, uint32_t timeout),                   \
         (deviceId, timeout))                                                          \
    ASK(size_t, aclDataTypeSize, (aclDataType dataType), (dataType))                   \
    ASK(float, aclFloat16ToFloat, (aclFloat16 value), (value))                         \
    ASK(aclFloat16, aclFloatToFloat16, (float value), (value))                         \
    ASK(aclDataBuffer *, aclCreateDataBuffer, (void *data, size_t size), (data, size)) \
    CALL(aclDestroyDataBuffer, (const aclDataBuffer *dataBuffer), (dataBuffer))        \
    ASK(void *, aclGetDataBufferAddr, (const aclDataBuffer *dataBuffer), (dataBuffer)) \
    ASK(size_t, aclGetDataBufferSizeV2, (const aclDataBuffer *dataBuffer),             \
        (dataBuffer))                                                                  \
    CALL(aclUpdateDataBuffer, (aclDataBuffer * dataBuffer, void *data, size_t size),   \
         (dataBuffer, data, size))

#endif
