/* hooks_mc2.c - steps that an MC2 operator issues before its kernel: notifies between
 * its streams, and the AI CPU kernel */
#include <stdio.h>

#include "inject/hooks/hook_frame.h"
#include "inject/launch/range_replay.h"
#include "inject/program/mc2.h"

enum { ARGS_NEW = 48, ARGS_OLD = 40 };

/* Steps of an operator are captured with it. A call of the program ends the capture. */
#define CUT_UNLESS_PENDING (mc2_is_pending() ? (void)0 : range_cut())

#define WAITED                                                                         \
    (result == 0 ? mc2_on_notify(MC2_WAIT, notify, stream, timeout_s) : (void)0)
#define RECORDED (result == 0 ? mc2_on_notify(MC2_RECORD, notify, stream, 0) : (void)0)

HOOK_WITH_IMPL(aclrtWaitAndResetNotify,
               lifecycle_connect(),
               CUT_UNLESS_PENDING,
               WAITED,
               (void *, notify),
               (void *, stream),
               (uint32_t, timeout_s))
HOOK(rtNotifyWaitWithTimeOut,
     lifecycle_connect(),
     CUT_UNLESS_PENDING,
     WAITED,
     (void *, notify),
     (void *, stream),
     (uint32_t, timeout_s))
HOOK_WITH_IMPL(aclrtRecordNotify,
               lifecycle_connect(),
               CUT_UNLESS_PENDING,
               RECORDED,
               (void *, notify),
               (void *, stream))
HOOK(rtNotifyRecord,
     lifecycle_connect(),
     CUT_UNLESS_PENDING,
     RECORDED,
     (void *, notify),
     (void *, stream))

static void on_aicpu_kernel(uint32_t type,
                            const char *op,
                            uint32_t blocks,
                            const void *args,
                            void *l2_plan,
                            void *stream,
                            uint32_t flags)
{
    struct mc2_server call = {
        .type = type,
        .blocks = blocks,
        .flags = flags,
        .args = args,
        .l2_plan = l2_plan,
        .stream = stream,
    };

    if (type != ABI_KERNEL_AICPU_KFC && type != ABI_KERNEL_CUSTOM_KFC) {
        mc2_on_other_server();
        return;
    }
    range_on_server(stream);
    snprintf(call.op, sizeof(call.op), "%s", op ? op : "");
    mc2_on_server(&call, real_functions_have_impl() ? ARGS_NEW : ARGS_OLD);
}

#define AICPU_KERNEL                                                                   \
    (result == 0 ? on_aicpu_kernel(type, op, blocks, args, l2_plan, stream, flags)     \
                 : (void)0)
#define OTHER_AICPU (result == 0 ? mc2_on_other_server() : (void)0)

HOOK(rtAicpuKernelLaunchExWithArgs,
     lifecycle_connect(),
     CUT_UNLESS_PENDING,
     AICPU_KERNEL,
     (uint32_t, type),
     (const char *, op),
     (uint32_t, blocks),
     (const void *, args),
     (void *, l2_plan),
     (void *, stream),
     (uint32_t, flags))
HOOK(rtAicpuKernelLaunchWithFlag,
     lifecycle_connect(),
     range_cut(),
     OTHER_AICPU,
     (const void *, names),
     (uint32_t, blocks),
     (const void *, args),
     (void *, l2_plan),
     (void *, stream),
     (uint32_t, flags))
HOOK(rtCpuKernelLaunchWithFlag,
     lifecycle_connect(),
     range_cut(),
     OTHER_AICPU,
     (const void *, library),
     (const void *, kernel),
     (uint32_t, blocks),
     (const void *, args),
     (void *, l2_plan),
     (void *, stream),
     (uint32_t, flags))
HOOK(rtsLaunchCpuKernel,
     lifecycle_connect(),
     range_cut(),
     OTHER_AICPU,
     (const void *, func),
     (uint32_t, blocks),
     (void *, stream),
     (const void *, config),
     (void *, args))
