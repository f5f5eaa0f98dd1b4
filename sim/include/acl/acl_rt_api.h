/* acl_rt_api.h - short names of longer functions, for C++ */
#ifndef ACL_RT_API_H
#define ACL_RT_API_H

#include "acl_rt.h"

#ifdef __cplusplus

template <typename T>
inline aclError aclrtMalloc(T **devPtr,
                            size_t size,
                            aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                            aclrtMallocConfig *cfg = nullptr)
{
    return aclrtMallocWithCfg(reinterpret_cast<void **>(devPtr), size, policy, cfg);
}

inline aclError aclrtCreateEvent(aclrtEvent *event, uint32_t flag)
{
    return aclrtCreateEventExWithFlag(event, flag);
}

inline aclError aclrtSynchronizeStream(aclrtStream stream, int32_t timeout)
{
    return aclrtSynchronizeStreamWithTimeout(stream, timeout);
}

inline aclError aclrtSynchronizeDevice(int32_t timeout)
{
    return aclrtSynchronizeDeviceWithTimeout(timeout);
}

inline aclError aclrtSynchronizeEvent(aclrtEvent event, int32_t timeout)
{
    return aclrtSynchronizeEventWithTimeout(event, timeout);
}

template <typename T>
inline aclError
aclrtMemAllocManaged(T **ptr, size_t size, uint32_t flag = ACL_RT_MEM_ATTACH_GLOBAL)
{
    return aclrtMemAllocManaged(reinterpret_cast<void **>(ptr),
                                static_cast<uint64_t>(size), flag);
}

#endif

#endif
