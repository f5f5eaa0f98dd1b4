/* hooks_device.c - functions that select, reset and synchronize devices */
#include "inject/device/device.h"
#include "inject/device/flush.h"
#include "inject/hooks/hook_frame.h"
#include "inject/launch/launch.h"
#include "inject/launch/range_replay.h"

/* Connects to the worker before the program uses any other function. */
HOOK_WITH_IMPL(aclInit, lifecycle_connect(), , , (const char *, config))

#define AFTER_SET (result == 0 ? device_set(device) : (void)0)

HOOK_WITH_IMPL(aclrtSetDevice,
               lifecycle_connect(),
               range_cut(),
               AFTER_SET,
               (int32_t, device))
HOOK(rtSetDevice, lifecycle_connect(), range_cut(), AFTER_SET, (int32_t, device))
HOOK(rtSetDeviceEx, lifecycle_connect(), range_cut(), AFTER_SET, (int32_t, device))
HOOK(rtSetDeviceV2,
     lifecycle_connect(),
     range_cut(),
     AFTER_SET,
     (int32_t, device),
     (int, mode))

/* Frees the buffer of inject before the device is reset. */
static void reset(int device, bool force)
{
    range_cut();
    if (device_is_last(device, force))
        flush_free_before_reset(device_find(device));
    device_reset(device, force);
}

#define RESET       reset(device, false)
#define RESET_FORCE reset(device, true)

HOOK_WITH_IMPL(aclrtResetDevice, lifecycle_connect(), RESET, , (int32_t, device))
HOOK_WITH_IMPL(aclrtResetDeviceForce,
               lifecycle_connect(),
               RESET_FORCE,
               ,
               (int32_t, device))
HOOK(rtDeviceReset, lifecycle_connect(), RESET, , (int32_t, device))
HOOK(rtDeviceResetEx, lifecycle_connect(), RESET, , (int32_t, device))
HOOK(rtDeviceResetForce, lifecycle_connect(), RESET_FORCE, , (int32_t, device))

/* A new context also selects a device. These hooks only connect to the worker. */
HOOK_WITH_IMPL(aclrtCreateContext,
               lifecycle_connect(),
               ,
               ,
               (void **, context),
               (int32_t, device))
HOOK(rtCtxCreate,
     lifecycle_connect(),
     ,
     ,
     (void **, context),
     (uint32_t, flags),
     (int32_t, id))
HOOK(rtCtxCreateEx,
     lifecycle_connect(),
     ,
     ,
     (void **, context),
     (uint32_t, flags),
     (int32_t, id))
HOOK(rtCtxCreateV2,
     lifecycle_connect(),
     ,
     ,
     (void **, context),
     (uint32_t, flags),
     (int32_t, id),
     (int, mode))

#define STREAM_DONE result = launch_synchronized_result(result, stream, false)
#define DEVICE_DONE result = launch_synchronized_result(result, NULL, true)

HOOK_WITH_IMPL(aclrtSynchronizeStream,
               lifecycle_connect(),
               range_cut(),
               STREAM_DONE,
               (void *, stream))
HOOK_WITH_IMPL(aclrtSynchronizeStreamWithTimeout,
               lifecycle_connect(),
               range_cut(),
               STREAM_DONE,
               (void *, stream),
               (int32_t, timeout_ms))
HOOK(rtStreamSynchronize,
     lifecycle_connect(),
     range_cut(),
     STREAM_DONE,
     (void *, stream))
HOOK(rtStreamSynchronizeWithTimeout,
     lifecycle_connect(),
     range_cut(),
     STREAM_DONE,
     (void *, stream),
     (int32_t, timeout_ms))
HOOK_WITH_IMPL(aclrtSynchronizeDeviceWithTimeout,
               lifecycle_connect(),
               range_cut(),
               DEVICE_DONE,
               (int32_t, timeout_ms))

HOOK_WITH_IMPL(aclFinalizeReference, session_is_on(), range_cut(), , (uint64_t *, left))

/* A hook of a function without parameters, for which HOOK cannot be used. */
#define HOOK_WITHOUT_PARAMETERS(name, after)                                           \
    EXPORT int name(void);                                                             \
    EXPORT int name(void)                                                              \
    {                                                                                  \
        typedef int name##_fn(void);                                                   \
        name##_fn *bypass = (name##_fn *)real_function_bypass(HOOKED_##name), *real;   \
        int saved = errno, result;                                                     \
                                                                                       \
        if (__builtin_expect(bypass != NULL, 1))                                       \
            return bypass();                                                           \
        real = (name##_fn *)real_function_get(HOOKED_##name);                          \
        if (!real)                                                                     \
            return ABI_NOT_SUPPORTED;                                                  \
        if (hook_depth > 0 || !lifecycle_connect())                                    \
            return real();                                                             \
        hook_depth++;                                                                  \
        range_cut();                                                                   \
        errno = saved;                                                                 \
        result = real();                                                               \
        saved = errno;                                                                 \
        after;                                                                         \
        hook_leave();                                                                  \
        errno = saved;                                                                 \
        return result;                                                                 \
    }

HOOK_WITHOUT_PARAMETERS(aclrtSynchronizeDevice, DEVICE_DONE)
HOOK_WITHOUT_PARAMETERS(aclrtSynchronizeDeviceImpl, DEVICE_DONE)
HOOK_WITHOUT_PARAMETERS(rtDeviceSynchronize, DEVICE_DONE)
HOOK_WITHOUT_PARAMETERS(aclFinalize, )
HOOK_WITHOUT_PARAMETERS(aclFinalizeImpl, )
