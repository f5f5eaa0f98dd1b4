#include "inject/launch/launch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/runtime.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/launch/launch_message.h"
#include "inject/launch/launch_numbers.h"
#include "inject/launch/launch_single.h"
#include "inject/launch/range_replay.h"
#include "inject/launch/unmeasured.h"
#include "inject/program/collective.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_names.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/group_replay.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/launch_kind.h"
#include "inject/replay/pass_through.h"
#include "inject/session/session.h"
#include "lib/capture/format/records.h"

int launch_synchronized_result(int result, const void *stream, bool whole_device)
{
    struct device *device = deferred_errors_any() ? device_current() : NULL;

    if (!device)
        return result;
    return deferred_errors_take(result, device->visible, stream, whole_device);
}

static void kernel_of(const struct launch *launch, char name[KERNEL_NAME_MAX])
{
    if (launch->kernel)
        snprintf(name, KERNEL_NAME_MAX, "%s", launch->kernel);
    else
        kernel_name_get(launch->func, name);
}

/* Runs a kernel that accesses other cards. The ranks that take part are those of the
 * operator's communicator. When the operator uses several communicators, or memory that
 * processes share without HCCL, all ranks of the gang take part. */
static int launch_across(const struct launch *launch,
                         const struct mc2 *mc2,
                         struct device *device,
                         const char *kernel,
                         uint64_t number)
{
    struct launch known = *launch;
    bool can_repeat = (!mc2 || mc2->whole) && driver_read_device(device) &&
                      !runtime_is_capturing(launch->stream);
    struct comm all;
    uint64_t sequence;

    known.mc2 = mc2;
    known.kind = launch_kind_across(mc2);
    if (mc2 && launch_is_one_sided(kernel))
        return one_sided_launch(&known, &mc2->groups[0], device, kernel, number);
    if (mc2 && mc2->group_count == 1) {
        sequence = comm_next_operation(mc2->groups[0].handle);
        all = mc2->groups[0];
    } else if (!run_ranks_all(device, &all, &sequence)) {
        return pass_through(launch, device);
    }
    return group_launch(&known, &all, device, kernel, number, sequence,
                        comm_hash(known.kind, kernel, strlen(kernel)), can_repeat);
}

int replay_launch(const struct launch *launch)
{
    uint64_t number = launch_numbers_next();
    struct device *device = device_current();
    char kernel[KERNEL_NAME_MAX];
    int saved = errno, result;
    const struct mc2 *mc2;

    if (!device)
        return pass_through(launch, device);
    mc2 = mc2_take(device->visible, launch->stream, launch->words, launch->word_bytes);
    kernel_of(launch, kernel);
    errno = saved;
    if (session_has_ranges()) {
        bool across = mc2 || launch->lccl || atomic_load(&device->shared);
        struct launch known = *launch;

        known.mc2 = mc2;
        if (across)
            known.kind = launch_kind_across(mc2);
        if (!range_capture_launch(&known, device, kernel, number,
                                  across ? comm_hash(0, kernel, strlen(kernel)) : 0,
                                  &result))
            result = pass_through(launch, device);
        return result;
    }
    if (mc2 || launch->lccl || atomic_load(&device->shared))
        result = launch_across(launch, mc2, device, kernel, number);
    else if (runtime_is_capturing(launch->stream))
        result = pass_through(launch, device);
    else
        result = launch_single(launch, device, kernel, number);
    errno = saved;
    return result;
}

/* Reports a call that is not replayed, if it is selected. */
static void miss_call(const struct launch *launch,
                      struct device *device,
                      const struct collective_call *call)
{
    const char *why = call->whole_group
                          ? "its communicator is not known"
                          : "not all ranks call it, so it is not replayed";
    uint64_t number = launch_numbers_next();

    if (session_has_ranges())
        range_miss_launch(launch, device, call->name, number, why);
    else if (session_is_on())
        unmeasured_record(launch, device, call->name, number, why);
}

int collective_launch(const struct collective_call *call)
{
    const struct launch launch = {
        .kernel = call->name,
        .kind = call->whole_group ? LAUNCH_COLLECTIVE : LAUNCH_POINT_TO_POINT,
        .stream = call->stream,
        .run = call->run,
        .call = call->call,
    };
    struct device *device = device_current();
    int saved = errno, result;
    struct comm comm;
    bool can_repeat;

    if (device && !call->whole_group && session_is_on() && !session_has_ranges()) {
        result = launch_message(&launch, device, launch_numbers_next());
        errno = saved;
        return result;
    }
    if (!device || !call->whole_group || !comm_get(call->comm, &comm)) {
        range_cut();
        if (device)
            miss_call(&launch, device, call);
        return pass_through(&launch, device);
    }
    if (session_has_ranges())
        return range_capture_launch(&launch, device, call->name, launch_numbers_next(),
                                    collective_fingerprint(call), &result)
                   ? result
                   : pass_through(&launch, device);
    can_repeat = driver_read_device(device) && !runtime_is_capturing(call->stream);
    errno = saved;
    return group_launch(&launch, &comm, device, call->name, launch_numbers_next(),
                        comm_next_operation(call->comm), collective_fingerprint(call),
                        can_repeat);
}
