#include "inject/replay/single_replay.h"

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/replay/core_profile.h"
#include "inject/replay/instrument.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/passes.h"
#include "inject/replay/replay_state.h"
#include "inject/session/record_output.h"
#include "inject/session/session.h"
#include "lib/shm/control_channel.h"

static int run_pass(struct replay *replay, enum pass_kind kind, uint32_t number)
{
    struct pass pass;
    enum pass_opening opening = pass_open(replay, &pass, kind, number);
    int result = opening == PASS_OPEN ? pass_run(replay, &pass) : 0;
    bool whole = pass_close(replay, &pass);

    if (opening != PASS_OPEN)
        return -1;
    if (result != 0)
        return replay_give_up_with(replay, "the kernel failed in a replay", result);
    return whole ? 0 : replay_give_up(replay, "the driver lost data");
}

static int run_passes(struct replay *replay)
{
    for (uint32_t n = 0; n < passes_count(replay); n++) {
        enum pass_kind kind;
        uint32_t number;

        passes_nth(replay, n, &kind, &number);
        if (run_pass(replay, kind, number) < 0)
            return -1;
        if (kind != PASS_PLAIN)
            replay->end.passes_done = number;
    }
    return 0;
}

static void write_drop_record(void)
{
    struct record_drop drop = {
        .kind = RECORD_FILE_PIECE,
        .reason = DROP_NOT_POSSIBLE,
        .count = 1,
    };

    record_output_record(RECORD_DROP, &drop, sizeof(drop));
}

/* Runs a pass without counters. *ran is set when the kernel ran to its end. A kernel
 * that fails only with instruments costs the metric of this pass, not the counters. */
static int run_observed(struct replay *replay, bool *ran)
{
    struct pass pass;
    enum pass_opening opening = pass_open(replay, &pass, PASS_INSTRUMENTED, 0);
    int result = opening == PASS_OPEN ? pass_run(replay, &pass) : 0;

    pass_close(replay, &pass);
    *ran = opening == PASS_OPEN && result == 0;
    if (opening != PASS_OPEN)
        return -1;
    if (result == ABI_SYNC_TIMEOUT)
        return replay_give_up_with(replay, "the instrumented kernel did not end",
                                   result);
    if (result != 0)
        write_drop_record();
    return 0;
}

/* Runs a pass while the channels of the cores are open. A driver that refuses them is
 * reported by a record. */
static int run_on_cores(struct replay *replay, enum prof_core_mode mode, bool *ran)
{
    struct core_profile profile;
    int result = 0;

    *ran = false;
    if (core_profile_open(&profile, replay->device, replay->record.launch, mode))
        result = run_observed(replay, ran);
    else
        write_drop_record();
    if (!core_profile_close(&profile) && result == 0)
        result = replay_give_up(replay, "the driver lost data");
    return result;
}

static int run_instrumented(struct replay *replay,
                            const struct instrument_job *job,
                            enum instrument_kind kind)
{
    struct instrument instrument;
    bool ran = false;
    int result;

    if (instrument_start(&instrument, job, kind) < 0) {
        write_drop_record();
        return 0;
    }
    result = kind == INSTRUMENT_MARKS
                 ? run_on_cores(replay, PROF_CORE_INSTRUCTIONS, &ran)
                 : run_observed(replay, &ran);
    instrument_end(&instrument, job, ran);
    return result;
}

static int run_all_instrumented(struct replay *replay)
{
    const char *metrics = replay->plan->metrics;
    bool ran;

    const struct instrument_job job = {
        .launch = replay->launch,
        .number = replay->record.launch,
        .device = (uint32_t)replay->device->logical,
        .chip = replay->device->chip,
    };

    instrument_write_code(&job); /* also needed for the addresses in its stamps */
    if (replay->launch->simt && instrument_has_metric(metrics, "PcSampling") &&
        run_on_cores(replay, PROF_CORE_SAMPLES, &ran) < 0)
        return -1;
    for (int i = 0; i < INSTRUMENT_KINDS; i++) {
        enum instrument_kind kind = (enum instrument_kind)i;

        if (instrument_is_wanted(metrics, kind) && !replay->launch->lccl &&
            run_instrumented(replay, &job, kind) < 0)
            return -1;
    }
    return instrument_has_metric(metrics, "PipeTimeline")
               ? run_on_cores(replay, PROF_CORE_INSTRUCTIONS, &ran)
               : 0;
}

/* Restores the memory after an interrupted execution and issues the launch once. */
static void repair_memory(struct replay *replay)
{
    const struct launch *launch = replay->launch;
    int result;

    replay_abort(replay);
    runtime_sync_stream(launch->stream, replay->sync_ms);
    if (!session_restore_is_off() && replay->snapshot.bytes > 0)
        snapshot_restore(&replay->snapshot, launch->stream, replay->sync_ms);
    result = launch->run(launch->call);
    if (result == 0)
        result = replay_wait(replay);
    if (result != 0 && result != ABI_SYNC_TIMEOUT)
        deferred_errors_put(result, replay->device->visible, launch->stream);
}

static void replay_all(struct replay *replay, int *result)
{
    int status;

    if (pass_first(replay, result, &status) < 0)
        return;
    if (run_all_instrumented(replay) == 0) {
        replay_profile(replay, true);
        if (run_passes(replay) == 0)
            replay->end.complete = replay->end.passes_done == replay->plan->pass_count;
        replay_profile(replay, false);
    }
    if (replay->dirty)
        repair_memory(replay);
}

int single_replay(struct replay *replay)
{
    const struct launch *launch = replay->launch;
    int waited = runtime_sync_device(replay->sync_ms);
    enum snapshot_answer answer = SNAPSHOT_NO_ROOM;
    int result = 0;

    if (waited == 0)
        answer = snapshot_take(&replay->snapshot, replay->device, launch->stream);
    replay_write_begin_record(replay, answer);
    if (answer != SNAPSHOT_NO_ROOM) {
        replay_all(replay, &result);
    } else if (waited != 0) {
        replay_give_up_with(replay, "earlier work on the device failed or did not end",
                            waited);
        if (waited != ABI_SYNC_TIMEOUT)
            deferred_errors_put(waited, replay->device->visible, NULL);
        result = launch->run(launch->call);
    } else {
        replay_give_up(replay, "the memory could not be saved");
        result = launch->run(launch->call);
    }
    snapshot_clear(&replay->snapshot);
    replay_write_end_record(replay, result);
    return result;
}
