#include "inject/launch/unmeasured.h"

#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/kernel_names.h"
#include "inject/replay/ask_worker.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/passes.h"
#include "inject/replay/replay_state.h"
#include "lib/shm/control_channel.h"

void unmeasured_write(struct replay *replay, const char *why)
{
    replay_write_begin_record(replay, SNAPSHOT_EMPTY);
    replay_give_up(replay, why);
    replay_write_end_record(replay, 0);
}

void unmeasured_record(const struct launch *launch,
                       struct device *device,
                       const char *name,
                       uint64_t number,
                       const char *why)
{
    union control_message question, answer;
    struct replay replay;

    if (kernel_name_is_skipped(name) || !driver_read_device(device))
        return;
    ask_worker_prepare(&question, launch, device, name, number);
    if (!ask_worker(launch, &question, &answer))
        return;
    replay_init(&replay, launch, device, &question.prepare, &answer.decision);
    unmeasured_write(&replay, why);
}
