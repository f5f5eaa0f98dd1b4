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
#include "inject/replay/range_launches.h"
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
    prepare->about = launch->range && launch->range->selected ? CONTROL_LATER_SEGMENT
                                                              : CONTROL_LAUNCH;
    marked_ranges_write(prepare->ranges, sizeof(prepare->ranges));
}

/* Other ranks must not wait for a rank that is not measured any more. */
static void stop_measuring(void)
{
    session_end();
    run_ranks_leave();
}

bool ask_worker(const struct launch *launch,
                union control_message *question,
                union control_message *answer)
{
    if (!session_ask(question, answer)) {
        stop_measuring();
        return false;
    }
    switch (answer->decision.answer) {
    case CONTROL_PROFILE:
        if (launch->range)
            launch->range->selected = true;
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

bool ask_worker_about_range(const char *name)
{
    union control_message question, answer;

    if (kernel_name_is_skipped(name))
        return false;
    if (kernel_name_is_selected(name))
        return true;
    control_message_init(&question, CONTROL_PREPARE);
    question.prepare.about = CONTROL_RANGE_NAME;
    snprintf(question.prepare.kernel, sizeof(question.prepare.kernel), "%s", name);
    if (!session_ask(&question, &answer)) {
        stop_measuring();
        return false;
    }
    if (answer.decision.answer == CONTROL_PROFILE)
        kernel_name_select(name);
    else
        kernel_name_skip(name);
    return answer.decision.answer == CONTROL_PROFILE;
}
