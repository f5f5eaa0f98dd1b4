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

/* The starts of the program with counters come first, then that with the counters of
 * L2, then that without counters. */
static enum pass_kind kind_of(const struct control_decision *plan, uint32_t *number)
{
    uint32_t last_l2 = plan->pass_count + (plan->has_l2 && plan->l2_alone);

    *number = 0;
    if (plan->plain && plan->once > last_l2) {
        *number = PLAIN_PASS_NUMBER;
        return PASS_PLAIN;
    }
    if (plan->once > plan->pass_count)
        return PASS_L2;
    *number = plan->once;
    return PASS_COUNTERS;
}

static const char *failure_of(const struct launch *launch)
{
    return launch->kind == LAUNCH_POINT_TO_POINT ? "the message failed, or its partner "
                                                   "waits for a later call of this rank"
                                                 : "the kernel failed or did not end";
}

static int measure(struct replay *replay)
{
    uint32_t number;
    enum pass_kind kind = kind_of(replay->plan, &number);
    struct pass pass;
    int result = 0, waited;
    bool whole;

    if (pass_open(replay, &pass, kind, number) != PASS_OPEN) {
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
        replay_give_up_with(replay, failure_of(replay->launch), waited);
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
