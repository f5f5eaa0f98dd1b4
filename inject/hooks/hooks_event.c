/* hooks_event.c - what depends on the order of the streams
 *
 * In a range that is captured (range_replay.h) nothing has run yet: before a program
 * asks how far a stream is, or ties one to another, what it launched is run. */
#include "inject/hooks/hook_frame.h"
#include "inject/program/mc2.h"
#include "inject/replay/range_replay.h"

#define ORDERED(name, ...) HOOK(name, session_is_on(), range_cut(), , __VA_ARGS__)
#define ORDERED_TWIN(name, ...)                                                        \
    ORDERED(name, __VA_ARGS__)                                                         \
    ORDERED(name##Impl, __VA_ARGS__)

ORDERED_TWIN(aclrtRecordEvent, (void *, event), (void *, stream))
ORDERED_TWIN(aclrtStreamWaitEvent, (void *, stream), (void *, event))
ORDERED_TWIN(aclrtResetEvent, (void *, event), (void *, stream))
ORDERED_TWIN(aclrtQueryEventStatus, (void *, event), (void *, status))
ORDERED_TWIN(aclrtQueryEventWaitStatus, (void *, event), (void *, status))
ORDERED_TWIN(aclrtSynchronizeEvent, (void *, event))
ORDERED_TWIN(aclrtSynchronizeEventWithTimeout, (void *, event), (int32_t, timeout_ms))
ORDERED_TWIN(aclrtStreamQuery, (void *, stream), (void *, status))
ORDERED_TWIN(aclrtStreamAbort, (void *, stream))
ORDERED_TWIN(aclrtDestroyStream, (void *, stream))
ORDERED_TWIN(aclrtDestroyStreamForce, (void *, stream))
ORDERED_TWIN(aclrtLaunchCallback,
             (void *, function),
             (void *, data),
             (int, blocking),
             (void *, stream))
ORDERED_TWIN(aclrtLaunchHostFunc, (void *, stream), (void *, function), (void *, data))
ORDERED_TWIN(aclrtValueWrite,
             (void *, address),
             (uint64_t, value),
             (uint32_t, flag),
             (void *, stream))
ORDERED_TWIN(aclrtValueWait,
             (void *, address),
             (uint64_t, value),
             (uint32_t, flag),
             (void *, stream))
ORDERED_TWIN(aclrtCmoAsync,
             (void *, address),
             (size_t, size),
             (int, type),
             (void *, stream))
ORDERED_TWIN(aclmdlRICaptureBegin, (void *, stream), (int, mode))
ORDERED_TWIN(aclmdlRICaptureEnd, (void *, stream), (void **, model))
ORDERED_TWIN(aclmdlRICaptureThreadExchangeMode, (int *, mode))
ORDERED_TWIN(aclmdlRIBindStream, (void *, model), (void *, stream), (uint32_t, flag))
ORDERED_TWIN(aclmdlRIUnbindStream, (void *, model), (void *, stream))
/* An operator's library asks so that its other stream joins; a program must not find
 * out. */
HOOK_WITH_IMPL(aclmdlRICaptureGetInfo,
               session_is_on(),
               (mc2_is_pending() ? (void)0 : range_cut()),
               ,
               (void *, stream),
               (int *, status),
               (void **, model))
ORDERED_TWIN(aclmdlRIExecuteAsync, (void *, model), (void *, stream))
ORDERED_TWIN(aclmdlRIExecute, (void *, model), (int32_t, timeout))
ORDERED_TWIN(aclrtDestroyContext, (void *, context))
ORDERED_TWIN(aclrtSetCurrentContext, (void *, context))
ORDERED(rtEventRecord, (void *, event), (void *, stream))
ORDERED(rtStreamWaitEvent, (void *, stream), (void *, event))
ORDERED(rtEventSynchronize, (void *, event))
ORDERED(rtStreamQuery, (void *, stream))
ORDERED(rtStreamDestroy, (void *, stream))
ORDERED(rtCtxSetCurrent, (void *, context))
