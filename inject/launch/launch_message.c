#include "inject/launch/launch_message.h"

#include <stdatomic.h>
#include <stddef.h>

#include "inject/base/runtime.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/launch/unmeasured.h"
#include "inject/program/kernel_names.h"
#include "inject/replay/application_pass.h"
#include "inject/replay/ask_worker.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/pass_through.h"
#include "inject/replay/passes.h"
#include "inject/replay/replay_state.h"
#include "lib/shm/control_channel.h"

enum { LIMIT_MS = 10 * 1000, LIMIT_MAX_MS = 3600 * 1000 };

/* A message of this process did not end before a later call of its rank. */
static atomic_bool must_not_wait;

static int limit_ms(const struct control_decision *plan)
{
    return plan->barrier_ms > 0 && plan->barrier_ms <= LIMIT_MAX_MS
               ? (int)plan->barrier_ms
               : LIMIT_MS;
}

/* Returns why the message cannot be measured, or NULL. */
static const char *find_obstacle(const struct launch *launch,
                                 const struct control_decision *plan)
{
    if (runtime_is_capturing(launch->stream))
        return "the program captures this stream";
    if (atomic_load(&must_not_wait))
        return "an earlier message ended only after a later call of this rank";
    return plan->once == 1 ? NULL : "a message is not replayed";
}

int launch_message(const struct launch *launch, struct device *device, uint64_t number)
{
    union control_message question, answer;
    struct replay replay;
    const char *why;
    int result;

    if (kernel_name_is_skipped(launch->kernel) || !driver_read_device(device))
        return pass_through(launch, device);
    ask_worker_prepare(&question, launch, device, launch->kernel, number);
    if (!ask_worker(launch, &question, &answer))
        return pass_through(launch, device);
    replay_init(&replay, launch, device, &question.prepare, &answer.decision);
    replay.sync_ms = limit_ms(&answer.decision);
    why = find_obstacle(launch, &answer.decision);
    if (!why && !device_lock_exclusive_for(device, (uint32_t)replay.sync_ms))
        why = "the device did not become free";
    if (why) {
        unmeasured_write(&replay, why);
        return pass_through(launch, device);
    }
    result = application_pass(&replay);
    device_unlock_exclusive(device);
    if (!replay.end.complete)
        atomic_store(&must_not_wait, true);
    return result;
}
