/* hooks_device.c - devices come and go, and are waited for */
#include "inject/device/device.h"
#include "inject/device/flush.h"
#include "inject/hooks/hook_frame.h"
#include "inject/replay/launch.h"
#include "inject/replay/range_replay.h"

/* The connection is made here at the latest: what comes is seen from its beginning. */
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

/* What we keep on the device goes before the device does. */
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

/* A context selects its device too; nothing but the connection is needed here. */
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

/* Without parameters, which the macros do not have. */
#define HOOK_BARE(name, after)                                                         \
    EXPORT int name(void);                                                             \
    EXPORT int name(void)                                                              \
    {                                                                                  \
        typedef int name##_fn(void);                                                   \
        name##_fn *direct = (name##_fn *)real_function_bypass(HOOKED_##name), *real;   \
        int saved = errno, result;                                                     \
                                                                                       \
        if (__builtin_expect(direct != NULL, 1))                                       \
            return direct();                                                           \
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

HOOK_BARE(aclrtSynchronizeDevice, DEVICE_DONE)
HOOK_BARE(aclrtSynchronizeDeviceImpl, DEVICE_DONE)
HOOK_BARE(rtDeviceSynchronize, DEVICE_DONE)
HOOK_BARE(aclFinalize, )
HOOK_BARE(aclFinalizeImpl, )
