#include "inject/replay/passes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/device/environment.h"
#include "inject/device/flush.h"
#include "inject/device/health.h"
#include "inject/device/profiling_channel.h"
#include "inject/program/mc2.h"
#include "inject/replay/fault_points.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/launch_kind.h"
#include "inject/replay/pass_sharing.h"
#include "inject/replay/range_launches.h"
#include "inject/replay/replay_state.h"
#include "inject/session/pass_context.h"
#include "inject/session/record_output.h"
#include "inject/session/session.h"
#include "lib/shm/control_channel.h"

enum { SYNC_MS = 10 * 1000, SWITCH_AICORE_METRICS = 0x4, SWITCH_L2 = 0x10 };
static const uint64_t switch_time_stamps = 0x100000000;

int replay_give_up(struct replay *replay, const char *reason)
{
    if (replay->end.reason[0] == '\0')
        snprintf(replay->end.reason, sizeof(replay->end.reason), "%s", reason);
    return -1;
}

int replay_give_up_with(struct replay *replay, const char *reason, int code)
{
    char text[128];

    snprintf(text, sizeof(text), "%s: %d", reason, code);
    return replay_give_up(replay, text);
}

void replay_init(struct replay *replay,
                 const struct launch *launch,
                 struct device *device,
                 const struct control_prepare *prepare,
                 const struct control_decision *plan)
{
    bool has_limit = plan->sync_ms > 0 && plan->sync_ms < 3600000;

    *replay = (struct replay){
        .launch = launch,
        .device = device,
        .plan = plan,
        .sync_ms = has_limit ? (int)plan->sync_ms : SYNC_MS,
        .record =
            {
                .launch = prepare->launch,
                .args_bytes = launch->args_bytes,
                .device = (uint32_t)device->logical,
                .stream = runtime_stream_id(launch->stream),
                .thread = thread_number(),
                .block_dim = launch->blocks,
                .kind = launch_kind_of(launch),
                .order = prepare->order,
                .warmups_planned = plan->warmups,
                .passes_planned = plan->pass_count,
                .is_mc2 = launch->kind == LAUNCH_MC2 || launch->kind == LAUNCH_MTE,
                .is_lccl = launch->kind == LAUNCH_LCCL,
                .pid = (uint32_t)getpid(),
                .has_simt = launch->simt,
            },
        .end = {.launch = prepare->launch},
    };
    memcpy(replay->record.kernel, prepare->kernel, sizeof(replay->record.kernel));
    memcpy(replay->record.metrics, plan->metrics, sizeof(replay->record.metrics));
}

static void write_clock(const struct device *device, uint64_t launch)
{
    struct record_run_clock clock = {
        .launch = launch,
        .device = (uint32_t)device->logical,
        .ticks_khz = device->ticks_khz,
        .core_mhz_current = driver_core_mhz(device),
        .core_mhz_rated = device->rated_mhz,
        .core_count = device->core_count,
        .chip = device->chip,
        .simulated = driver_is_simulated(),
    };

    memcpy(clock.soc, device->soc, sizeof(clock.soc));
    driver_read_clocks(device, &clock);
    record_output_record(RECORD_RUN_CLOCK, &clock, sizeof(clock));
}

static enum restore_class class_of(const struct replay *replay,
                                   enum snapshot_answer answer)
{
    if (replay->plan->once)
        return RESTORE_NOT_NEEDED;
    if (answer == SNAPSHOT_NO_ROOM)
        return RESTORE_NO_ROOM;
    if (answer == SNAPSHOT_EMPTY)
        return RESTORE_NONE;
    return session_restore_is_off() ? RESTORE_OFF : RESTORE_ALL;
}

void replay_write_begin_record(struct replay *replay, enum snapshot_answer saved)
{
    replay->record.start_ns = thread_now_ns();
    replay->record.restore_class = class_of(replay, saved);
    replay->record.snapshot_bytes = replay->snapshot.bytes;
    replay->record.snapshot_blocks = (uint32_t)replay->snapshot.block_count;
    environment_write_record(replay->device);
    write_clock(replay->device, replay->record.launch);
    health_write_record(replay->device, replay->record.launch, HEALTH_BEFORE);
    record_output_record(RECORD_LAUNCH, &replay->record, sizeof(replay->record));
    if (replay->launch->range)
        range_launches_write(replay->launch->range, replay->record.launch);
}

void replay_write_end_record(struct replay *replay, int result)
{
    profiling_close(&replay->server, 1); /* when the last pass was not reached */
    flush_free_if_scarce(replay->device);
    write_clock(replay->device, replay->record.launch);
    health_write_record(replay->device, replay->record.launch, HEALTH_AFTER);
    replay->end.end_ns = thread_now_ns();
    replay->end.result = result;
    record_output_record(RECORD_LAUNCH_END, &replay->end, sizeof(replay->end));
}

void replay_profile(const struct replay *replay, bool start)
{
    uint64_t switches = replay->device->chip == ABI_CHIP_310P ? SWITCH_AICORE_METRICS
                        : replay->device->chip == ABI_CHIP_A5
                            ? switch_time_stamps
                            : SWITCH_L2 | switch_time_stamps;

    runtime_profile(replay->device->logical, start, switches);
}

/* Returns the steps to issue before the kernel of an MC2 operator, or NULL. */
static const struct mc2 *steps_of(const struct launch *launch)
{
    return launch->mc2 && launch->mc2->kind == MC2_SERVED ? launch->mc2 : NULL;
}

/* Issues again the notifies and AI CPU kernels that the program queued before its
 * kernel. */
static int issue_steps(const struct mc2 *mc2)
{
    const struct mc2_calls calls = {
        .wait = (int (*)(void *, void *, uint32_t))real_function_get(
            HOOKED_aclrtWaitAndResetNotify),
        .record = (int (*)(void *, void *))real_function_get(HOOKED_aclrtRecordNotify),
        .server =
            (int (*)(uint32_t, const char *, uint32_t, const void *, void *, void *,
                     uint32_t))real_function_get(HOOKED_rtAicpuKernelLaunchExWithArgs),
    };

    return mc2_issue(mc2, &calls);
}

/* Returns the time until end_ns, at least 1 ms, so that finished work is noticed. */
static int left_ms(uint64_t end_ns)
{
    uint64_t now_ns = thread_now_ns();

    return now_ns + 1000000 < end_ns ? (int)((end_ns - now_ns) / 1000000) : 1;
}

int replay_wait(const struct replay *replay)
{
    const struct mc2 *mc2 = steps_of(replay->launch);
    uint64_t end_ns = thread_now_ns() + (uint64_t)replay->sync_ms * 1000000;
    int result = runtime_sync_stream(replay->launch->stream, replay->sync_ms);

    for (size_t i = 0; mc2 && i < mc2->server_count && result == 0; i++)
        result = runtime_sync_stream(mc2->servers[i].stream, left_ms(end_ns));
    return result;
}

void replay_abort(struct replay *replay)
{
    const struct mc2 *mc2 = steps_of(replay->launch);

    runtime_abort_stream(replay->launch->stream);
    for (size_t i = 0; mc2 && i < mc2->server_count; i++)
        runtime_abort_stream(mc2->servers[i].stream);
}

/* Measures with the clock of the device. The clock of the host would include its waits.
 */
static int launch_timed(struct replay *replay)
{
    const struct launch *launch = replay->launch;
    struct runtime_timing timing;
    int result;

    if (!replay->plan->share_permille)
        return launch->run(launch->call);
    runtime_timing_start(&timing, launch->stream);
    result = launch->run(launch->call);
    runtime_timing_end(&timing, launch->stream);
    if (result == 0)
        replay->timing = timing;
    else
        runtime_timing_take(&timing);
    return result;
}

static int execute(struct replay *replay, bool timed)
{
    const struct launch *launch = replay->launch;
    const struct mc2 *mc2 = steps_of(launch);
    int result;

    fault_point(FAULT_RUN);
    result = mc2 ? issue_steps(mc2) : 0;
    if (result == 0)
        result = timed ? launch_timed(replay) : launch->run(launch->call);
    fault_point(FAULT_WAIT);
    if (result != 0)
        return result;
    result = replay_wait(replay);
    if (timed)
        replay->took_ns = runtime_timing_take(&replay->timing);
    return result;
}

static int restore(struct replay *replay)
{
    int result;

    if (atomic_load(&replay->device->disturbed))
        return replay_give_up(replay, "another thread used the device");
    if (fault_point(FAULT_RESTORE))
        return replay_give_up(replay, "memory was not restored: test fault");
    if (session_restore_is_off() || replay->snapshot.bytes == 0)
        return 0;
    result =
        snapshot_restore(&replay->snapshot, replay->launch->stream, replay->sync_ms);
    if (result != 0)
        return replay_give_up_with(replay, "memory was not restored", result);
    return 0;
}

static int arm(struct replay *replay, struct pass *pass)
{
    const struct control_decision *plan = replay->plan;
    const struct profiling_label label = {replay->record.launch, pass->record.pass};
    bool l2 = pass->record.kind == PASS_L2 ||
              (plan->has_l2 && !plan->l2_alone &&
               pass->record.pass == pass_sharing_nth(replay, 0));
    int why = 0;

    if (fault_point(FAULT_ARM))
        return replay_give_up(replay, "the counter channel does not start: test fault");
    if (l2) {
        memcpy(pass->record.l2_events, plan->l2_events, sizeof(pass->record.l2_events));
        pass->l2 = profiling_open_l2(replay->device, &label, plan->l2_events, &why);
        if (!pass->l2)
            return replay_give_up_with(replay, "the L2 channel does not start", why);
    }
    if (pass->record.kind == PASS_COUNTERS) {
        pass->counters = profiling_open_counters(replay->device, &label,
                                                 &plan->pass[pass->record.pass - 1],
                                                 plan->partial, &why);
        if (!pass->counters)
            return replay_give_up_with(replay, "the counter channel does not start",
                                       why);
    }
    if (pass->record.has_duration) {
        pass->task_log = profiling_open_task_log(replay->device, &label, &why);
        if (!pass->task_log)
            return replay_give_up_with(replay, "the task log does not start", why);
    }
    return 0;
}

static void fill_pass(struct replay *replay,
                      struct record_pass *pass,
                      enum pass_kind kind,
                      uint32_t number)
{
    const struct control_decision *plan = replay->plan;

    memset(pass, 0, sizeof(*pass));
    pass->launch = replay->record.launch;
    pass->kind = kind;
    pass->pass = number;
    pass->has_duration = kind == PASS_COUNTERS || kind == PASS_PLAIN;
    if (kind != PASS_COUNTERS)
        return;
    pass->event_count = plan->pass[number - 1].event_count;
    memcpy(pass->aic_events, plan->pass[number - 1].aic, sizeof(pass->aic_events));
    memcpy(pass->aiv_events, plan->pass[number - 1].aiv, sizeof(pass->aiv_events));
}

static void begin_pass(const struct replay *replay, const struct record_pass *pass)
{
    const struct pass_context context = {
        .launch = pass->launch,
        .pass = pass->pass,
        .pass_kind = pass->kind,
        .device = (uint32_t)replay->device->logical,
    };

    pass_context_begin(&context);
}

static uint32_t passes_before(const struct control_decision *plan)
{
    return plan->warmups + (plan->has_l2 && plan->l2_alone);
}

uint32_t passes_count(const struct replay *replay)
{
    return passes_before(replay->plan) + pass_sharing_count(replay) +
           (replay->plan->plain != 0);
}

void passes_nth(const struct replay *replay,
                uint32_t n,
                enum pass_kind *kind,
                uint32_t *number)
{
    const struct control_decision *plan = replay->plan;
    uint32_t before = passes_before(plan);

    if (n >= before + pass_sharing_count(replay)) {
        *number = PLAIN_PASS_NUMBER;
        *kind = PASS_PLAIN;
        return;
    }
    *number = n < before ? 0 : pass_sharing_nth(replay, n - before);
    *kind = n < plan->warmups ? PASS_WARMUP : n < before ? PASS_L2 : PASS_COUNTERS;
}

static bool is_call_of_hccl(const struct launch *launch)
{
    return launch->kind == LAUNCH_COLLECTIVE || launch->kind == LAUNCH_POINT_TO_POINT;
}

/* Opens the channel of the AI CPU at the first counter pass of a launch that
 * communicates. Its records are optional: a card without this channel is measured
 * without them. */
static void arm_server(struct replay *replay, const struct pass *pass)
{
    const struct profiling_label label = {replay->record.launch, pass->record.pass};
    int why;

    if ((!steps_of(replay->launch) && !is_call_of_hccl(replay->launch)) ||
        pass->record.kind != PASS_COUNTERS)
        return;
    if (replay->server)
        profiling_set_pass(replay->server, pass->record.pass);
    else
        replay->server = profiling_open_aicpu(replay->device, &label, &why);
}

enum pass_opening pass_open(struct replay *replay,
                            struct pass *pass,
                            enum pass_kind kind,
                            uint32_t number)
{
    memset(pass, 0, sizeof(*pass));
    fill_pass(replay, &pass->record, kind, number);
    replay->dirty = true;
    if (restore(replay) < 0)
        return PASS_NOT_RESTORED;
    pass->record.input_checksum = snapshot_checksum(&replay->snapshot);
    if (kind != PASS_WARMUP &&
        !replay->plan->once) /* caches as the program left them */
        flush_l2(replay->device, replay->launch->stream, replay->sync_ms);
    pass->opened = true;
    begin_pass(replay, &pass->record);
    if (kind != PASS_WARMUP && arm(replay, pass) < 0)
        return PASS_NOT_ARMED;
    arm_server(replay, pass);
    return PASS_OPEN;
}

int pass_run(struct replay *replay, struct pass *pass)
{
    int result;

    pass->record.start_ns = thread_now_ns();
    result = execute(replay, pass->record.kind == PASS_WARMUP);
    pass->record.end_ns = thread_now_ns();
    pass->record.core_mhz = driver_core_mhz(replay->device);
    pass->record.status = result;
    pass->ran = true;
    replay->dirty = result != 0;
    return result;
}

int pass_run_own(struct replay *replay, struct pass *pass, int *result)
{
    int waited = 0;

    pass->record.start_ns = thread_now_ns();
    *result = replay->launch->run(replay->launch->call);
    if (*result == 0)
        waited = replay_wait(replay);
    pass->record.end_ns = thread_now_ns();
    pass->record.core_mhz = driver_core_mhz(replay->device);
    pass->record.status = *result != 0 ? *result : waited;
    pass->ran = *result == 0;
    replay->dirty = false;
    return waited;
}

bool pass_close(struct replay *replay, struct pass *pass)
{
    enum { SERVER = 3, CHANNELS };
    struct profiling_channel *channels[CHANNELS] = {pass->counters, pass->l2,
                                                    pass->task_log};

    if (replay->server &&
        pass->record.pass == pass_sharing_nth(replay, pass_sharing_count(replay) - 1)) {
        channels[SERVER] = replay->server;
        replay->server = NULL;
    }
    pass->counters = pass->l2 = pass->task_log = NULL;
    bool whole = profiling_close(channels, CHANNELS);
    if (pass->opened)
        pass_context_end();
    if (pass->ran)
        record_output_record(RECORD_PASS, &pass->record, sizeof(pass->record));
    return whole;
}

int pass_first(struct replay *replay, int *result, int *status)
{
    const struct launch *launch = replay->launch;
    struct record_pass pass;
    int waited;

    *status = 0;
    fill_pass(replay, &pass, PASS_FIRST, 0);
    pass.input_checksum = snapshot_checksum(&replay->snapshot);
    begin_pass(replay, &pass);
    pass.start_ns = thread_now_ns();
    *result = launch_timed(replay);
    if (*result != 0) {
        pass_context_end();
        return replay_give_up_with(replay, "the runtime refused the launch", *result);
    }
    waited = *status = replay_wait(replay);
    replay->took_ns = runtime_timing_take(&replay->timing);
    pass_context_end();
    pass.end_ns = thread_now_ns();
    pass.core_mhz = driver_core_mhz(replay->device);
    pass.status = waited;
    record_output_record(RECORD_PASS, &pass, sizeof(pass));
    if (waited == 0)
        return 0;
    if (waited != ABI_SYNC_TIMEOUT) /* the program's synchronization reports it again */
        deferred_errors_put(waited, replay->device->visible, launch->stream);
    return replay_give_up_with(replay, "the kernel failed or did not end", waited);
}
