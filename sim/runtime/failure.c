#include "sim/runtime/failure.h"

#include <stdio.h>

#include "sim/runtime/calls.h"

static _Thread_local aclError last;
static _Thread_local char text[128];
static _Thread_local char returned[128];
static aclrtExceptionInfoCallback callback;

aclError failure_note(const char *call, aclError error)
{
    if (error) {
        last = error;
        snprintf(text, sizeof(text), "%s failed: %d (npu_sim)", call, error);
    }
    return error;
}

void failure_report(aclrtExceptionInfo *info)
{
    aclrtExceptionInfoCallback fn = __atomic_load_n(&callback, __ATOMIC_ACQUIRE);

    if (fn)
        fn(info);
}

const char *sim_aclGetRecentErrMsg(void)
{
    if (!text[0])
        return NULL;
    snprintf(returned, sizeof(returned), "%s", text);
    text[0] = '\0';
    return returned;
}

aclError sim_aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? last : ACL_ERROR_RT_PARAM_INVALID;
}

aclError sim_aclrtGetLastError(aclrtLastErrLevel level)
{
    aclError error = sim_aclrtPeekAtLastError(level);

    if (level == ACL_RT_THREAD_LEVEL)
        last = 0;
    return error;
}

aclError sim_aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback fn)
{
    __atomic_store_n(&callback, fn, __ATOMIC_RELEASE);
    return 0;
}

uint32_t sim_aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->task : UINT32_MAX;
}

uint32_t sim_aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->stream : UINT32_MAX;
}

uint32_t sim_aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->thread : UINT32_MAX;
}

uint32_t sim_aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->device : UINT32_MAX;
}

uint32_t sim_aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info ? info->code : UINT32_MAX;
}
