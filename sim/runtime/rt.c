/* rt.c - rtX: the older names of the same functions */
#include <ascend_hal.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/exported.h"

const char *npu_sim_version(void)
{
    return "npu_sim " MUSTER_VERSION;
}

rtError_t rtSetDevice(int32_t devId)
{
    return sim_aclrtSetDevice(devId);
}

rtError_t rtSetDeviceEx(int32_t devId)
{
    return sim_aclrtSetDevice(devId);
}

rtError_t rtGetDevice(int32_t *devId)
{
    return sim_aclrtGetDevice(devId);
}

rtError_t rtSetDeviceV2(int32_t devId, rtDeviceMode deviceMode)
{
    if ((unsigned)deviceMode >= RT_DEVICE_MODE_RESERVED)
        return ACL_ERROR_RT_PARAM_INVALID;
    return sim_aclrtSetDevice(devId);
}

rtError_t rtDeviceStatusQuery(const uint32_t devId, rtDeviceStatus *deviceStatus)
{
    aclrtDeviceStatus status;
    aclError error;

    if (!deviceStatus || devId > INT32_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    error = sim_aclrtQueryDeviceStatus((int32_t)devId, &status);
    if (!error)
        *deviceStatus = (rtDeviceStatus)status;
    return error;
}

rtError_t rtDeviceReset(int32_t devId)
{
    return sim_aclrtResetDevice(devId);
}

rtError_t rtDeviceResetEx(int32_t devId)
{
    return sim_aclrtResetDevice(devId);
}

rtError_t rtDeviceResetForce(int32_t devId)
{
    return sim_aclrtResetDeviceForce(devId);
}

rtError_t rtDeviceSynchronize(void)
{
    return sim_aclrtSynchronizeDevice();
}

rtError_t rtGetDeviceCount(int32_t *cnt)
{
    uint32_t count = 0;
    aclError error = sim_aclrtGetDeviceCount(cnt ? &count : NULL);

    if (!error)
        *cnt = (int32_t)count;
    return error;
}

rtError_t
rtGetDeviceInfo(uint32_t deviceId, int32_t moduleType, int32_t infoType, int64_t *val)
{
    if (!val)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (deviceId > INT32_MAX || !context_has_device((int32_t)deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    return halGetDeviceInfo(context_card_of((int32_t)deviceId), moduleType, infoType,
                            val)
               ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT
               : 0;
}

rtError_t rtGetSocVersion(char *ver, const uint32_t maxLen)
{
    const char *name = npu_sim_card_soc(context_any_card());

    if (!ver || strlen(name) >= maxLen)
        return ACL_ERROR_RT_PARAM_INVALID;
    strcpy(ver, name);
    return 0;
}

rtError_t rtGetAiCoreCount(uint32_t *aiCoreCnt)
{
    if (!aiCoreCnt)
        return ACL_ERROR_RT_PARAM_INVALID;
    *aiCoreCnt = npu_sim_card_cores(context_any_card());
    return 0;
}

rtError_t rtGetVisibleDeviceIdByLogicDeviceId(const int32_t logicDeviceId,
                                              int32_t *const visibleDeviceId)
{
    return sim_aclrtGetUserDevIdByLogicDevId(logicDeviceId, visibleDeviceId);
}

rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len)
{
    void *area;
    aclError error;

    if (!addr || !len)
        return ACL_ERROR_RT_PARAM_INVALID;
    error = sim_aclrtGetHardwareSyncAddr(&area);
    if (error)
        return error;
    *addr = (uintptr_t)area;
    *len = 4096;
    return 0;
}

rtError_t rtCtxCreate(rtContext_t *ctx, uint32_t flags, int32_t devId)
{
    (void)flags;
    return sim_aclrtCreateContext(ctx, devId);
}

rtError_t rtCtxCreateEx(rtContext_t *ctx, uint32_t flags, int32_t devId)
{
    return rtCtxCreate(ctx, flags, devId);
}

rtError_t
rtCtxCreateV2(rtContext_t *ctx, uint32_t flags, int32_t devId, rtDeviceMode deviceMode)
{
    if ((unsigned)deviceMode >= RT_DEVICE_MODE_RESERVED)
        return ACL_ERROR_RT_PARAM_INVALID;
    return rtCtxCreate(ctx, flags, devId);
}

rtError_t rtCtxDestroy(rtContext_t ctx)
{
    return sim_aclrtDestroyContext(ctx);
}

rtError_t rtCtxGetCurrent(rtContext_t *currentCtx)
{
    return sim_aclrtGetCurrentContext(currentCtx);
}

rtError_t rtCtxSetCurrent(rtContext_t ctx)
{
    return sim_aclrtSetCurrentContext(ctx);
}

rtError_t rtCtxGetCurrentDefaultStream(rtStream_t *stm)
{
    return sim_aclrtCtxGetCurrentDefaultStream(stm);
}

rtError_t rtStreamCreate(rtStream_t *stm, int32_t priority)
{
    (void)priority; /* a card runs one launch at a time */
    return sim_aclrtCreateStream(stm);
}

rtError_t rtStreamCreateWithFlags(rtStream_t *stm, int32_t priority, uint32_t flags)
{
    (void)flags;
    return rtStreamCreate(stm, priority);
}

rtError_t rtStreamDestroy(rtStream_t stm)
{
    return sim_aclrtDestroyStream(stm);
}

rtError_t rtStreamSynchronize(rtStream_t stm)
{
    return sim_aclrtSynchronizeStream(stm);
}

rtError_t rtStreamSynchronizeWithTimeout(rtStream_t stm, int32_t timeout)
{
    return sim_aclrtSynchronizeStreamWithTimeout(stm, timeout);
}

rtError_t rtStreamQuery(rtStream_t stm)
{
    aclrtStreamStatus status;
    aclError error = sim_aclrtStreamQuery(stm, &status);

    if (error)
        return error;
    return status == ACL_STREAM_STATUS_COMPLETE ? 0 : ACL_ERROR_RT_WAIT_TIMEOUT;
}

rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt)
{
    return sim_aclrtStreamWaitEvent(stm, evt);
}

rtError_t rtGetStreamId(rtStream_t stm, int32_t *streamId)
{
    return sim_aclrtStreamGetId(stm, streamId);
}

rtError_t rtEventCreate(rtEvent_t *evt)
{
    return sim_aclrtCreateEvent(evt);
}

rtError_t rtEventCreateWithFlag(rtEvent_t *evt, uint32_t flag)
{
    return sim_aclrtCreateEventWithFlag(evt, flag);
}

rtError_t rtEventDestroy(rtEvent_t evt)
{
    return sim_aclrtDestroyEvent(evt);
}

rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm)
{
    return sim_aclrtRecordEvent(evt, stm);
}

rtError_t rtEventReset(rtEvent_t evt, rtStream_t stm)
{
    return sim_aclrtResetEvent(evt, stm);
}

rtError_t rtEventSynchronize(rtEvent_t evt)
{
    return sim_aclrtSynchronizeEvent(evt);
}

rtError_t
rtEventElapsedTime(float *timeInterval, rtEvent_t startEvent, rtEvent_t endEvent)
{
    return sim_aclrtEventElapsedTime(timeInterval, startEvent, endEvent);
}

rtError_t rtNotifyCreate(int32_t deviceId, rtNotify_t *notify)
{
    if (!context_has_device(deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    return sim_aclrtCreateNotify(notify, 0);
}

rtError_t rtNotifyDestroy(rtNotify_t notify)
{
    return sim_aclrtDestroyNotify(notify);
}

rtError_t rtNotifyRecord(rtNotify_t notify, rtStream_t stm)
{
    return sim_aclrtRecordNotify(notify, stm);
}

rtError_t rtNotifyWait(rtNotify_t notify, rtStream_t stm)
{
    return sim_aclrtWaitAndResetNotify(notify, stm, 0);
}

rtError_t rtNotifyWaitWithTimeOut(rtNotify_t notify, rtStream_t stm, uint32_t timeOut)
{
    return sim_aclrtWaitAndResetNotify(notify, stm, timeOut);
}

static bool is_memory_type(rtMemType_t type)
{
    static const rtMemType_t kinds[] = {
        RT_MEMORY_DEFAULT, RT_MEMORY_HBM,     RT_MEMORY_DDR,    RT_MEMORY_SPM,
        RT_MEMORY_P2P_HBM, RT_MEMORY_P2P_DDR, RT_MEMORY_DDR_NC, RT_MEMORY_TS,
        RT_MEMORY_HOST,    RT_MEMORY_SVM,
    };
    const rtMemType_t policies = 0x3FC00u;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if ((type & ~policies) == kinds[i])
            return true;
    return false;
}

rtError_t
rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId)
{
    (void)moduleId;
    if (type == RT_MEMORY_RESERVED)
        return ACL_ERROR_RT_INVALID_MALLOC_TYPE;
    if (!is_memory_type(type))
        return ACL_ERROR_RT_INVALID_MEMORY_TYPE;
    if (type == RT_MEMORY_HOST)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    return sim_aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

rtError_t rtFree(void *devPtr)
{
    return sim_aclrtFree(devPtr);
}

rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId)
{
    (void)moduleId;
    return sim_aclrtMallocHost(hostPtr, size);
}

rtError_t rtFreeHost(void *hostPtr)
{
    return sim_aclrtFreeHost(hostPtr);
}

rtError_t rtMemcpy(void *dst,
                   uint64_t destMax,
                   const void *src,
                   uint64_t cnt,
                   rtMemcpyKind_t kind)
{
    return sim_aclrtMemcpy(dst, destMax, src, cnt, (aclrtMemcpyKind)kind);
}

rtError_t rtMemcpyAsync(void *dst,
                        uint64_t destMax,
                        const void *src,
                        uint64_t cnt,
                        rtMemcpyKind_t kind,
                        rtStream_t stm)
{
    return sim_aclrtMemcpyAsync(dst, destMax, src, cnt, (aclrtMemcpyKind)kind, stm);
}

rtError_t rtMemset(void *devPtr, uint64_t destMax, uint32_t val, uint64_t cnt)
{
    return sim_aclrtMemset(devPtr, destMax, (int32_t)val, cnt);
}

rtError_t
rtMemsetAsync(void *ptr, uint64_t destMax, uint32_t val, uint64_t cnt, rtStream_t stm)
{
    return sim_aclrtMemsetAsync(ptr, destMax, (int32_t)val, cnt, stm);
}

rtError_t rtMemGetInfo(size_t *freeSize, size_t *totalSize)
{
    return sim_aclrtGetMemInfo(ACL_HBM_MEM, freeSize, totalSize);
}

rtError_t rtMapMem(void *devPtr,
                   size_t size,
                   size_t offset,
                   rtDrvMemHandle handle,
                   uint64_t flags)
{
    return sim_aclrtMapMem(devPtr, size, offset, handle, flags);
}

rtError_t rtUnmapMem(void *devPtr)
{
    return sim_aclrtUnmapMem(devPtr);
}
