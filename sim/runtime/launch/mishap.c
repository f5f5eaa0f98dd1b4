#include "sim/runtime/launch/mishap.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/fleet/mishap.h"
#include "sim/runtime/stream/stream.h"

#define LIMIT_MAX_MS (UINT64_C(1) << 40) /* a longer limit counts as none */

/* Waits for the time. Returns true when the stream was aborted meanwhile. */
static bool wait_for_abort(const struct stream *stream, const struct timespec *deadline)
{
    bool in_time = true;

    wait_lock();
    while (in_time && !stream_is_aborted(stream))
        in_time = wait_once(deadline);
    wait_unlock();
    return in_time;
}

/* Waits like a kernel that never ends: until its time limit or an abort of the stream.
 */
static aclError hang(const struct stream *stream, uint64_t limit_ms)
{
    bool limited = limit_ms < LIMIT_MAX_MS;
    struct timespec deadline = wait_deadline(limited ? limit_ms : 0);

    return wait_for_abort(stream, limited ? &deadline : NULL)
               ? ACL_ERROR_RT_STREAM_ABORT
               : ACL_ERROR_RT_AICORE_TIMEOUT;
}

aclError mishap_meet(struct stream *stream, const char *task, uint64_t limit_ms)
{
    struct npu_sim_mishap mishap;
    struct stream_time *time = stream_time(stream);
    struct timespec deadline;

    npu_sim_card_mishap(stream_card(stream), task, &mishap);
    if (mishap.late_ms > 0) {
        deadline = wait_deadline(mishap.late_ms);
        if (wait_for_abort(stream, &deadline))
            return ACL_ERROR_RT_STREAM_ABORT;
        stream_time_follow(time, time->now +
                                     npu_sim_ticks_of_ns(mishap.late_ms * 1000000ull));
    }
    switch (mishap.kind) {
    case NPU_SIM_MISHAP_NONE:
        break;
    case NPU_SIM_MISHAP_FAIL:
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    case NPU_SIM_MISHAP_ECC:
        return ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR;
    case NPU_SIM_MISHAP_STUCK:
        return hang(stream, limit_ms);
    case NPU_SIM_MISHAP_DEAD:
        kill(getpid(), SIGKILL);
        break;
    }
    return 0;
}
