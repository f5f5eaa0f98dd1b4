/* hooks_device.c - devices come and go, and are waited for */
#include "inject/device/device.h"
#include "inject/device/flush.h"
#include "inject/hooks/hook_frame.h"
#include "inject/replay/launch.h"
#include "inject/replay/range_replay.h"

/* The connection is made here at the latest: what comes is seen from its beginning. */
HOOK_TWIN(aclInit, session_on(), , , (const char *, config))

#define AFTER_SET (result == 0 ? device_set(device) : (void)0)

HOOK_TWIN(aclrtSetDevice, session_on(), range_cut(), AFTER_SET, (int32_t, device))
HOOK(rtSetDevice, session_on(), range_cut(), AFTER_SET, (int32_t, device))
HOOK(rtSetDeviceEx, session_on(), range_cut(), AFTER_SET, (int32_t, device))
HOOK(rtSetDeviceV2,
     session_on(),
     range_cut(),
     AFTER_SET,
     (int32_t, device),
     (int, mode))

/* What we keep on the device goes before the device does. */
static void reset(int device, bool force)
{
    range_cut();
    if (device_is_last(device, force))
        flush_forget(device_find(device));
    device_reset(device, force);
}

#define RESET       reset(device, false)
#define RESET_FORCE reset(device, true)

HOOK_TWIN(aclrtResetDevice, session_on(), RESET, , (int32_t, device))
HOOK_TWIN(aclrtResetDeviceForce, session_on(), RESET_FORCE, , (int32_t, device))
HOOK(rtDeviceReset, session_on(), RESET, , (int32_t, device))
HOOK(rtDeviceResetEx, session_on(), RESET, , (int32_t, device))
HOOK(rtDeviceResetForce, session_on(), RESET_FORCE, , (int32_t, device))

/* A context selects its device too; nothing but the connection is needed here. */
HOOK_TWIN(aclrtCreateContext, session_on(), , , (void **, context), (int32_t, device))
HOOK(rtCtxCreate,
     session_on(),
     ,
     ,
     (void **, context),
     (uint32_t, flags),
     (int32_t, id))
HOOK(rtCtxCreateEx,
     session_on(),
     ,
     ,
     (void **, context),
     (uint32_t, flags),
     (int32_t, id))
HOOK(rtCtxCreateV2,
     session_on(),
     ,
     ,
     (void **, context),
     (uint32_t, flags),
     (int32_t, id),
     (int, mode))

#define STREAM_DONE result = replay_synchronised(result, stream, false)
#define DEVICE_DONE result = replay_synchronised(result, NULL, true)

HOOK_TWIN(aclrtSynchronizeStream,
          session_on(),
          range_cut(),
          STREAM_DONE,
          (void *, stream))
HOOK_TWIN(aclrtSynchronizeStreamWithTimeout,
          session_on(),
          range_cut(),
          STREAM_DONE,
          (void *, stream),
          (int32_t, timeout_ms))
HOOK(rtStreamSynchronize, session_on(), range_cut(), STREAM_DONE, (void *, stream))
HOOK(rtStreamSynchronizeWithTimeout,
     session_on(),
     range_cut(),
     STREAM_DONE,
     (void *, stream),
     (int32_t, timeout_ms))
HOOK_TWIN(aclrtSynchronizeDeviceWithTimeout,
          session_on(),
          range_cut(),
          DEVICE_DONE,
          (int32_t, timeout_ms))

HOOK_TWIN(aclFinalizeReference, session_is_on(), range_cut(), , (uint64_t *, left))

/* Without parameters, which the macros do not have. */
#define HOOK_BARE(name, after)                                                         \
    EXPORT int name(void);                                                             \
    EXPORT int name(void)                                                              \
    {                                                                                  \
        typedef int name##_fn(void);                                                   \
        name##_fn *direct = (name##_fn *)original_direct(ORIGINAL_##name), *real;      \
        int saved = errno, result;                                                     \
                                                                                       \
        if (__builtin_expect(direct != NULL, 1))                                       \
            return direct();                                                           \
        real = (name##_fn *)original_real(ORIGINAL_##name);                            \
        if (!real)                                                                     \
            return ABI_NOT_SUPPORTED;                                                  \
        if (guest_depth > 0 || !session_on())                                          \
            return real();                                                             \
        guest_depth++;                                                                 \
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
