#include "inject/replay/launch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/collective.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_names.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/application_pass.h"
#include "inject/replay/deferred_errors.h"
#include "inject/replay/group_replay.h"
#include "inject/replay/passes.h"
#include "inject/replay/range_replay.h"
#include "inject/replay/single_replay.h"
#include "inject/session/session.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"

static _Atomic uint64_t launches; /* of this process */

void replay_count_anew(void)
{
    atomic_store(&launches, 0);
}

int replay_synchronised(int result, const void *stream, bool whole_device)
{
    struct device *device = deferred_errors_any() ? device_current() : NULL;

    if (!device)
        return result;
    return deferred_errors_take(result, device->visible, stream, whole_device);
}

void replay_fill_question(union control_message *question,
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
    prepare->order = name_count_launch(kernel, device->visible);
    prepare->thread = thread_number();
    prepare->simulated = driver_is_simulated();
    prepare->launch_kind = launch->kind;
    memcpy(prepare->soc, device->soc, sizeof(prepare->soc));
    snprintf(prepare->kernel, sizeof(prepare->kernel), "%s", kernel);
    marked_ranges_write(prepare->ranges, sizeof(prepare->ranges));
}

bool ask_worker(union control_message *question, union control_message *answer)
{
    if (!session_ask(question, answer)) {
        session_end();
        return false;
    }
    switch (answer->decision.answer) {
    case CONTROL_PROFILE:
        return true;
    case CONTROL_PASS_KERNEL:
        name_pass_always(question->prepare.kernel);
        return false;
    case CONTROL_PASS_ALL:
        session_end();
        return false;
    default:
        return false;
    }
}

int replay_pass_through(const struct launch *launch, struct device *device)
{
    int saved = errno, result;
    struct device *shared = device_share(device);

    errno = saved;
    result = launch->run(launch->call);
    saved = errno;
    device_unshare(shared);
    errno = saved;
    return result;
}

static void kernel_of(const struct launch *launch, char name[KERNEL_NAME_MAX])
{
    if (launch->kernel)
        snprintf(name, KERNEL_NAME_MAX, "%s", launch->kernel);
    else
        name_get(launch->func, name);
}

int replay_launch_alone(const struct launch *launch,
                        struct device *device,
                        const char *kernel,
                        uint64_t number)
{
    union control_message question, answer;
    struct replay replay;
    int result;

    if (name_passes(kernel) || !driver_learn(device))
        return replay_pass_through(launch, device);
    replay_fill_question(&question, launch, device, kernel, number);
    if (!ask_worker(&question, &answer) || !device_claim(device))
        return replay_pass_through(launch, device);
    replay_init(&replay, launch, device, &question.prepare, &answer.decision);
    result = answer.decision.once ? application_pass(&replay) : replay_alone(&replay);
    device_release(device);
    return result;
}

/* A kernel that reaches other cards: by its operator's group; by groups that are tied
 * together only in it; or by memory that processes share in their own way. For the last
 * two all ranks of the run are the group. */
static int launch_across(const struct launch *launch,
                         const struct mc2 *mc2,
                         struct device *device,
                         const char *kernel,
                         uint64_t number)
{
    struct launch known = *launch;
    bool may = (!mc2 || mc2->whole) && driver_learn(device) &&
               !runtime_is_capturing(launch->stream);
    struct comm all;
    uint64_t sequence;

    known.mc2 = mc2;
    known.kind = !mc2 ? LAUNCH_LCCL : mc2->kind == MC2_SERVED ? LAUNCH_MC2 : LAUNCH_MTE;
    if (mc2 && mc2->group_count == 1) {
        sequence = comm_next_operation(mc2->groups[0].handle);
        all = mc2->groups[0];
    } else if (!run_ranks_all(device, &all, &sequence)) {
        return replay_pass_through(launch, device);
    }
    return group_launch(&known, &all, device, kernel, number, sequence,
                        comm_hash(known.kind, kernel, strlen(kernel)), may);
}

int replay_launch(const struct launch *launch)
{
    uint64_t number = atomic_fetch_add(&launches, 1) + 1;
    struct device *device = device_current();
    char kernel[KERNEL_NAME_MAX];
    int saved = errno, result;
    const struct mc2 *mc2;

    if (!device)
        return replay_pass_through(launch, device);
    mc2 = mc2_take(device->visible, launch->stream, launch->words, launch->word_bytes);
    kernel_of(launch, kernel);
    errno = saved;
    if (session_has_ranges()) {
        bool across = mc2 || launch->lccl || atomic_load(&device->shared);
        struct launch known = *launch;

        known.mc2 = mc2;
        if (!range_take(&known, device, number,
                        across ? comm_hash(0, kernel, strlen(kernel)) : 0, &result))
            result = replay_pass_through(launch, device);
        return result;
    }
    if (mc2 || launch->lccl || atomic_load(&device->shared))
        result = launch_across(launch, mc2, device, kernel, number);
    else if (runtime_is_capturing(launch->stream))
        result = replay_pass_through(launch, device);
    else
        result = replay_launch_alone(launch, device, kernel, number);
    errno = saved;
    return result;
}

int collective_launch(const struct collective_call *call)
{
    const struct launch launch = {
        .kernel = call->name,
        .kind = LAUNCH_COLLECTIVE,
        .stream = call->stream,
        .run = call->run,
        .call = call->call,
    };
    struct device *device = device_current();
    int saved = errno, result;
    struct comm comm;
    bool may;

    if (!device || !call->whole_group || !comm_get(call->comm, &comm)) {
        range_cut();
        return replay_pass_through(&launch, device);
    }
    if (session_has_ranges())
        return range_take(&launch, device, atomic_fetch_add(&launches, 1) + 1,
                          collective_fingerprint(call), &result)
                   ? result
                   : replay_pass_through(&launch, device);
    may = driver_learn(device) && !runtime_is_capturing(call->stream);
    errno = saved;
    return group_launch(
        &launch, &comm, device, call->name, atomic_fetch_add(&launches, 1) + 1,
        comm_next_operation(call->comm), collective_fingerprint(call), may);
}
