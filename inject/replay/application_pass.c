#include "inject/replay/application_pass.h"

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/passes.h"
#include "inject/replay/replay_state.h"
#include "lib/shm/control_channel.h"

/* Waits, because the counters would count earlier work too. When the AI CPU kernel of
 * an MC2 operator is queued, only the kernel's own stream can be synchronized. */
static int wait_for_earlier_work(const struct replay *replay)
{
    const struct launch *launch = replay->launch;

    return launch->kind == LAUNCH_MC2
               ? runtime_sync_stream(launch->stream, replay->sync_ms)
               : runtime_sync_device(replay->sync_ms);
}

static int run_unmeasured(struct replay *replay)
{
    return replay->launch->run(replay->launch->call);
}

static int measure(struct replay *replay)
{
    const struct control_decision *plan = replay->plan;
    bool l2 = plan->once > plan->pass_count;
    struct pass pass;
    int result = 0, waited;
    bool whole;

    if (pass_open(replay, &pass, l2 ? PASS_L2 : PASS_COUNTERS, l2 ? 0 : plan->once) !=
        PASS_OPEN) {
        pass_close(replay, &pass);
        return run_unmeasured(replay);
    }
    replay_profile(replay, true);
    waited = pass_run_own(replay, &pass, &result);
    replay_profile(replay, false);
    whole = pass_close(replay, &pass);
    if (result != 0)
        replay_give_up_with(replay, "the runtime refused the launch", result);
    else if (waited != 0)
        replay_give_up_with(replay, "the kernel failed or did not end", waited);
    else if (!whole)
        replay_give_up(replay, "the driver lost data");
    else
        replay->end.complete = replay->end.passes_done = 1;
    /* The program's own synchronization reports a timeout again. */
    if (result == 0 && waited != 0 && waited != ABI_SYNC_TIMEOUT)
        deferred_errors_put(waited, replay->device->visible, replay->launch->stream);
    return result;
}

int application_pass(struct replay *replay)
{
    int waited = wait_for_earlier_work(replay), result;

    replay_write_begin_record(replay, SNAPSHOT_EMPTY);
    if (waited == 0) {
        result = measure(replay);
    } else {
        replay_give_up_with(replay, "earlier work on the device failed or did not end",
                            waited);
        if (waited != ABI_SYNC_TIMEOUT)
            deferred_errors_put(waited, replay->device->visible, NULL);
        result = run_unmeasured(replay);
    }
    snapshot_clear(&replay->snapshot);
    replay_write_end_record(replay, result);
    return result;
}
