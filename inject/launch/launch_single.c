#include "inject/launch/launch_single.h"

#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/kernel_names.h"
#include "inject/replay/application_pass.h"
#include "inject/replay/ask_worker.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/pass_through.h"
#include "inject/replay/passes.h"
#include "inject/replay/replay_state.h"
#include "inject/replay/single_replay.h"
#include "lib/shm/control_channel.h"

int launch_single(const struct launch *launch,
                  struct device *device,
                  const char *kernel,
                  uint64_t number)
{
    union control_message question, answer;
    struct replay replay;
    int result;

    if (kernel_name_is_skipped(kernel) || !driver_read_device(device))
        return pass_through(launch, device);
    ask_worker_prepare(&question, launch, device, kernel, number);
    if (!ask_worker(launch, &question, &answer) || !device_lock_exclusive(device))
        return pass_through(launch, device);
    replay_init(&replay, launch, device, &question.prepare, &answer.decision);
    result = answer.decision.once ? application_pass(&replay) : single_replay(&replay);
    device_unlock_exclusive(device);
    return result;
}
