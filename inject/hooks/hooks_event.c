/* hooks_event.c - functions that depend on the order of streams
 *
 * The launches of a captured range (range_replay.h) have not run yet. Before the
 * program queries a stream or makes one wait for another, these hooks run the captured
 * launches. */
#include "inject/hooks/hook_frame.h"
#include "inject/launch/range_replay.h"
#include "inject/program/mc2.h"

#define ORDERED(name, ...) HOOK(name, session_is_on(), range_cut(), , __VA_ARGS__)
#define ORDERED_WITH_IMPL(name, ...)                                                   \
    ORDERED(name, __VA_ARGS__)                                                         \
    ORDERED(name##Impl, __VA_ARGS__)

ORDERED_WITH_IMPL(aclrtRecordEvent, (void *, event), (void *, stream))
ORDERED_WITH_IMPL(aclrtStreamWaitEvent, (void *, stream), (void *, event))
ORDERED_WITH_IMPL(aclrtResetEvent, (void *, event), (void *, stream))
ORDERED_WITH_IMPL(aclrtQueryEventStatus, (void *, event), (void *, status))
ORDERED_WITH_IMPL(aclrtQueryEventWaitStatus, (void *, event), (void *, status))
ORDERED_WITH_IMPL(aclrtSynchronizeEvent, (void *, event))
ORDERED_WITH_IMPL(aclrtSynchronizeEventWithTimeout,
                  (void *, event),
                  (int32_t, timeout_ms))
ORDERED_WITH_IMPL(aclrtStreamQuery, (void *, stream), (void *, status))
ORDERED_WITH_IMPL(aclrtStreamAbort, (void *, stream))
ORDERED_WITH_IMPL(aclrtDestroyStream, (void *, stream))
ORDERED_WITH_IMPL(aclrtDestroyStreamForce, (void *, stream))
ORDERED_WITH_IMPL(aclrtLaunchCallback,
                  (void *, function),
                  (void *, data),
                  (int, blocking),
                  (void *, stream))
ORDERED_WITH_IMPL(aclrtLaunchHostFunc,
                  (void *, stream),
                  (void *, function),
                  (void *, data))
ORDERED_WITH_IMPL(aclrtValueWrite,
                  (void *, address),
                  (uint64_t, value),
                  (uint32_t, flag),
                  (void *, stream))
ORDERED_WITH_IMPL(aclrtValueWait,
                  (void *, address),
                  (uint64_t, value),
                  (uint32_t, flag),
                  (void *, stream))
ORDERED_WITH_IMPL(aclrtCmoAsync,
                  (void *, address),
                  (size_t, size),
                  (int, type),
                  (void *, stream))
ORDERED_WITH_IMPL(aclmdlRICaptureBegin, (void *, stream), (int, mode))
ORDERED_WITH_IMPL(aclmdlRICaptureEnd, (void *, stream), (void **, model))
ORDERED_WITH_IMPL(aclmdlRICaptureThreadExchangeMode, (int *, mode))
ORDERED_WITH_IMPL(aclmdlRIBindStream,
                  (void *, model),
                  (void *, stream),
                  (uint32_t, flag))
ORDERED_WITH_IMPL(aclmdlRIUnbindStream, (void *, model), (void *, stream))
/* The library of an MC2 operator must see the capture, so that its other stream joins.
 * The program must not see it. */
HOOK_WITH_IMPL(aclmdlRICaptureGetInfo,
               session_is_on(),
               (mc2_is_pending() ? (void)0 : range_cut()),
               ,
               (void *, stream),
               (int *, status),
               (void **, model))
ORDERED_WITH_IMPL(aclmdlRIExecuteAsync, (void *, model), (void *, stream))
ORDERED_WITH_IMPL(aclmdlRIExecute, (void *, model), (int32_t, timeout))
ORDERED_WITH_IMPL(aclrtDestroyContext, (void *, context))
ORDERED_WITH_IMPL(aclrtSetCurrentContext, (void *, context))
ORDERED(rtEventRecord, (void *, event), (void *, stream))
ORDERED(rtStreamWaitEvent, (void *, stream), (void *, event))
ORDERED(rtEventSynchronize, (void *, event))
ORDERED(rtStreamQuery, (void *, stream))
ORDERED(rtStreamDestroy, (void *, stream))
ORDERED(rtCtxSetCurrent, (void *, context))
