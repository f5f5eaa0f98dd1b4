#include "inject/replay/ask_worker.h"

#include <stdio.h>
#include <string.h>

#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/kernel_names.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/launch_call.h"
#include "inject/session/session.h"
#include "lib/shm/control_channel.h"

void ask_worker_prepare(union control_message *question,
                        const struct launch *launch,
                        const struct device *device,
                        const char *kernel,
                        uint64_t number)
{
    struct control_prepare *prepare = &question->prepare;
    size_t blocks;

    control_message_init(question, CONTROL_PREPARE);
    prepare->launch = number;
    prepare->snapshot_bytes = blocks_bytes(device, &blocks);
    prepare->device = (uint32_t)device->logical;
    prepare->device_visible = (uint32_t)device->visible;
    prepare->chip = device->chip;
    prepare->core_count = device->core_count;
    prepare->block_dim = launch->blocks;
    prepare->order = kernel_name_count_launch(kernel, device->visible);
    prepare->thread = thread_number();
    prepare->simulated = driver_is_simulated();
    prepare->launch_kind = launch->kind;
    memcpy(prepare->soc, device->soc, sizeof(prepare->soc));
    snprintf(prepare->kernel, sizeof(prepare->kernel), "%s", kernel);
    marked_ranges_write(prepare->ranges, sizeof(prepare->ranges));
}

/* Other ranks must not wait for a rank that is not measured any more. */
static void stop_measuring(void)
{
    session_end();
    run_ranks_leave();
}

bool ask_worker(union control_message *question, union control_message *answer)
{
    if (!session_ask(question, answer)) {
        stop_measuring();
        return false;
    }
    switch (answer->decision.answer) {
    case CONTROL_PROFILE:
        return true;
    case CONTROL_PASS_KERNEL:
        kernel_name_skip(question->prepare.kernel);
        return false;
    case CONTROL_PASS_ALL:
        stop_measuring();
        return false;
    default:
        return false;
    }
}
