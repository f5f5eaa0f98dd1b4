#include <npu_sim/core.h>
#include <time.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/exported.h"
#include "sim/runtime/stream/running.h"
#include "sim/runtime/stream/stream.h"

#define PAUSE_NS 20000 /* lets the host run another thread */

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

EXPORTED bool npu_sim_core_must_end(void)
{
    struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct stream *stream = running_stream();
    uint64_t since = running_waits_since(now_ms());
    uint32_t limit_ms = UINT32_MAX;

    if (stream && stream_is_aborted(stream))
        return true;
    sim_aclrtGetOpExecuteTimeout(&limit_ms);
    if (limit_ms != UINT32_MAX && now_ms() - since > limit_ms) {
        running_fail(ACL_ERROR_RT_AICORE_TIMEOUT);
        return true;
    }
    nanosleep(&pause, NULL);
    return false;
}
