#include "inject/replay.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/records.h"
#include "inject/abi.h"
#include "inject/channel.h"
#include "inject/device.h"
#include "inject/driver.h"
#include "inject/emit.h"
#include "inject/health.h"
#include "inject/mc2.h"
#include "inject/moment.h"
#include "inject/names.h"
#include "inject/pending.h"
#include "inject/ranges.h"
#include "inject/runtime.h"
#include "inject/session.h"
#include "inject/snapshot.h"
#include "inject/thread.h"

enum { SYNC_MS = 10 * 1000, SWITCH_AICORE_METRICS = 0x4, SWITCH_L2 = 0x10 };
static const uint64_t switch_time_stamps = 0x100000000;

/* One profiled launch, from PREPARE to launch.end. */
struct replay {
    const struct launch *launch;
    struct device *device;
    const struct channel_decision *plan;
    struct snapshot snapshot;
    struct record_launch record;
    struct record_launch_end end;
    int sync_ms;
    bool ran;   /* the memory holds what one execution leaves */
    bool dirty; /* a replay began and did not end well */
};

static _Atomic uint64_t launches; /* of this process */

int replay_synchronised(int result, const void *stream, bool whole_device)
{
    struct device *device = pending_any() ? device_current() : NULL;

    if (!device)
        return result;
    return pending_take(result, device->visible, stream, whole_device);
}

static int give_up(struct replay *replay, const char *reason)
{
    if (replay->end.reason[0] == '\0')
        snprintf(replay->end.reason, sizeof(replay->end.reason), "%s", reason);
    return -1;
}

static int give_up_with(struct replay *replay, const char *reason, int code)
{
    char text[128];

    snprintf(text, sizeof(text), "%s: %d", reason, code);
    return give_up(replay, text);
}

static void tell_clock(const struct device *device, uint64_t launch)
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
    emit_record(RECORD_RUN_CLOCK, &clock, sizeof(clock));
}

/* The kernel runs and ends. 0, or the runtime's error. */
static int execute(struct replay *replay)
{
    int result = replay->launch->run(replay->launch->call);

    return result != 0 ? result
                       : runtime_sync_stream(replay->launch->stream, replay->sync_ms);
}

static int restore(struct replay *replay)
{
    int result;

    if (atomic_load(&replay->device->disturbed))
        return give_up(replay, "another thread used the device");
    if (session_restore_is_off() || replay->snapshot.bytes == 0)
        return 0;
    result =
        snapshot_restore(&replay->snapshot, replay->launch->stream, replay->sync_ms);
    if (result != 0)
        return give_up_with(replay, "memory was not put back", result);
    return 0;
}

struct pass_taps {
    struct tap *counters, *task_log, *l2;
};

static bool end_taps(struct pass_taps *taps)
{
    bool whole = driver_end_tap(&taps->counters);

    whole = driver_end_tap(&taps->l2) && whole;
    return driver_end_tap(&taps->task_log) && whole;
}

static int arm(struct replay *replay, struct record_pass *pass, struct pass_taps *taps)
{
    const struct channel_decision *plan = replay->plan;
    const struct tap_for label = {replay->record.launch, pass->pass};
    bool l2 =
        pass->kind == PASS_L2 || (plan->has_l2 && !plan->l2_alone && pass->pass == 1);
    int why = 0;

    if (l2) {
        memcpy(pass->l2_events, plan->l2_events, sizeof(pass->l2_events));
        taps->l2 = driver_tap_l2(replay->device, &label, plan->l2_events, &why);
        if (!taps->l2)
            return give_up_with(replay, "the L2 channel does not start", why);
    }
    if (pass->kind == PASS_COUNTERS) {
        taps->counters = driver_tap_counters(replay->device, &label,
                                             &plan->pass[pass->pass - 1], &why);
        if (!taps->counters)
            return give_up_with(replay, "the counter channel does not start", why);
    }
    if (pass->has_duration) {
        taps->task_log = driver_tap_task_log(replay->device, &label, &why);
        if (!taps->task_log)
            return give_up_with(replay, "the task log does not start", why);
    }
    return 0;
}

static void prepare_pass(struct replay *replay,
                         struct record_pass *pass,
                         enum pass_kind kind,
                         uint32_t number)
{
    const struct channel_decision *plan = replay->plan;

    memset(pass, 0, sizeof(*pass));
    pass->launch = replay->record.launch;
    pass->kind = kind;
    pass->pass = number;
    if (kind != PASS_COUNTERS)
        return;
    pass->has_duration = number == plan->pass_count;
    pass->event_count = plan->pass[number - 1].event_count;
    memcpy(pass->aic_events, plan->pass[number - 1].aic, sizeof(pass->aic_events));
    memcpy(pass->aiv_events, plan->pass[number - 1].aiv, sizeof(pass->aiv_events));
}

static void begin_pass(const struct replay *replay, const struct record_pass *pass)
{
    const struct moment moment = {
        .launch = pass->launch,
        .pass = pass->pass,
        .pass_kind = pass->kind,
        .device = (uint32_t)replay->device->logical,
    };

    moment_begin(&moment);
}

/* One execution that is not the first. */
static int run_pass(struct replay *replay, enum pass_kind kind, uint32_t number)
{
    struct record_pass pass;
    struct pass_taps taps = {0};
    bool counted = kind != PASS_WARMUP, whole;
    int result = -1;

    prepare_pass(replay, &pass, kind, number);
    replay->dirty = true;
    if (restore(replay) < 0)
        return -1;
    pass.input_checksum = snapshot_checksum(&replay->snapshot);
    if (counted)
        snapshot_flush_l2(&replay->snapshot, replay->device, replay->launch->stream,
                          replay->sync_ms);
    begin_pass(replay, &pass);
    if (!counted || arm(replay, &pass, &taps) == 0) {
        pass.start_ns = thread_now_ns();
        result = execute(replay);
        pass.end_ns = thread_now_ns();
        pass.core_mhz = driver_core_mhz(replay->device);
        pass.status = result;
        replay->dirty = result != 0;
    }
    whole = end_taps(&taps);
    moment_end();
    if (pass.end_ns == 0)
        return -1;
    emit_record(RECORD_PASS, &pass, sizeof(pass));
    if (result != 0)
        return give_up_with(replay, "the kernel failed in a replay", result);
    if (!whole)
        return give_up(replay, "the driver lost data");
    return 0;
}

static int run_passes(struct replay *replay)
{
    const struct channel_decision *plan = replay->plan;

    for (uint32_t i = 0; i < plan->warmups; i++)
        if (run_pass(replay, PASS_WARMUP, 0) < 0)
            return -1;
    if (plan->has_l2 && plan->l2_alone && run_pass(replay, PASS_L2, 0) < 0)
        return -1;
    for (uint32_t i = 1; i <= plan->pass_count; i++) {
        if (run_pass(replay, PASS_COUNTERS, i) < 0)
            return -1;
        replay->end.passes_done = i;
    }
    return 0;
}

/* The program's own execution. What it returns is the program's; an error that shows
 * only when waiting is kept for the program's synchronisation. */
static int run_first(struct replay *replay, int *result)
{
    const struct launch *launch = replay->launch;
    struct record_pass pass;
    int waited;

    prepare_pass(replay, &pass, PASS_FIRST, 0);
    pass.input_checksum = snapshot_checksum(&replay->snapshot);
    begin_pass(replay, &pass);
    pass.start_ns = thread_now_ns();
    *result = launch->run(launch->call);
    if (*result != 0) {
        moment_end();
        return give_up_with(replay, "the launch was refused", *result);
    }
    waited = runtime_sync_stream(launch->stream, replay->sync_ms);
    moment_end();
    pass.end_ns = thread_now_ns();
    pass.core_mhz = driver_core_mhz(replay->device);
    pass.status = waited;
    emit_record(RECORD_PASS, &pass, sizeof(pass));
    if (waited == 0)
        return 0;
    if (waited != ABI_SYNC_TIMEOUT) /* that one shows again by itself */
        pending_put(waited, replay->device->visible, launch->stream);
    return give_up_with(replay, "the kernel did not end well", waited);
}

/* A replay left the memory half-way: put back, and run as the program meant it. */
static void mend(struct replay *replay)
{
    const struct launch *launch = replay->launch;
    int result;

    runtime_abort_stream(launch->stream);
    runtime_sync_stream(launch->stream, replay->sync_ms);
    if (!session_restore_is_off() && replay->snapshot.bytes > 0)
        snapshot_restore(&replay->snapshot, launch->stream, replay->sync_ms);
    result = execute(replay);
    if (result != 0 && result != ABI_SYNC_TIMEOUT)
        pending_put(result, replay->device->visible, launch->stream);
}

static void replay_all(struct replay *replay, int *result)
{
    const struct channel_decision *plan = replay->plan;
    uint64_t switches = replay->device->chip == ABI_CHIP_310P ? SWITCH_AICORE_METRICS
                        : replay->device->chip == ABI_CHIP_A5
                            ? switch_time_stamps
                            : SWITCH_L2 | switch_time_stamps;

    if (run_first(replay, result) < 0)
        return;
    runtime_profile(replay->device->logical, true, switches);
    if (run_passes(replay) == 0)
        replay->end.complete = replay->end.passes_done == plan->pass_count;
    runtime_profile(replay->device->logical, false, switches);
    if (replay->dirty)
        mend(replay);
}

static enum restore_class class_of(enum snapshot_answer answer)
{
    if (answer == SNAPSHOT_NO_ROOM)
        return RESTORE_NO_ROOM;
    if (answer == SNAPSHOT_EMPTY)
        return RESTORE_NONE;
    return session_restore_is_off() ? RESTORE_OFF : RESTORE_ALL;
}

static uint32_t kind_of(const struct launch *launch)
{
    int64_t type =
        launch->func_is_handle ? runtime_kernel_type((void *)launch->func) : -1;

    if (type == ABI_KERNEL_MIX)
        return LAUNCH_MIX;
    return type >= 0 && type <= ABI_KERNEL_VECTOR ? LAUNCH_SINGLE : LAUNCH_UNKNOWN;
}

/* With the device to ourselves. */
static int profile(struct replay *replay)
{
    const struct launch *launch = replay->launch;
    int waited = runtime_sync_device(replay->sync_ms);
    enum snapshot_answer answer = SNAPSHOT_NO_ROOM;
    int result = 0;

    if (waited == 0)
        answer = snapshot_take(&replay->snapshot, replay->device, launch->stream);
    replay->record.start_ns = thread_now_ns();
    replay->record.restore_class = class_of(answer);
    replay->record.snapshot_bytes = replay->snapshot.bytes;
    replay->record.snapshot_blocks = (uint32_t)replay->snapshot.block_count;
    tell_clock(replay->device, replay->record.launch);
    health_tell(replay->device, replay->record.launch, HEALTH_BEFORE);
    emit_record(RECORD_LAUNCH, &replay->record, sizeof(replay->record));

    if (answer != SNAPSHOT_NO_ROOM) {
        replay_all(replay, &result);
    } else if (waited != 0) {
        give_up_with(replay, "earlier work of the device did not end well", waited);
        if (waited != ABI_SYNC_TIMEOUT)
            pending_put(waited, replay->device->visible, NULL);
        result = launch->run(launch->call);
    } else {
        give_up(replay, "the memory could not be saved");
        result = launch->run(launch->call);
    }
    snapshot_clear(&replay->snapshot);
    tell_clock(replay->device, replay->record.launch);
    health_tell(replay->device, replay->record.launch, HEALTH_AFTER);
    replay->end.end_ns = thread_now_ns();
    replay->end.result = result;
    emit_record(RECORD_LAUNCH_END, &replay->end, sizeof(replay->end));
    return result;
}

static int profile_by_plan(const struct launch *launch,
                           struct device *device,
                           const struct channel_prepare *asked,
                           const struct channel_decision *plan)
{
    struct replay replay = {
        .launch = launch,
        .device = device,
        .plan = plan,
        .sync_ms =
            plan->sync_ms > 0 && plan->sync_ms < 3600000 ? (int)plan->sync_ms : SYNC_MS,
        .record =
            {
                .launch = asked->launch,
                .args_bytes = launch->args_bytes,
                .device = (uint32_t)device->logical,
                .stream = runtime_stream_id(launch->stream),
                .thread = thread_number(),
                .block_dim = launch->blocks,
                .kind = kind_of(launch),
                .order = asked->order,
                .warmups_planned = plan->warmups,
                .passes_planned = plan->pass_count,
                .pid = (uint32_t)getpid(),
            },
        .end = {.launch = asked->launch},
    };

    memcpy(replay.record.kernel, asked->kernel, sizeof(replay.record.kernel));
    memcpy(replay.record.metrics, plan->metrics, sizeof(replay.record.metrics));
    return profile(&replay);
}

static void fill_question(union channel_message *question,
                          const struct launch *launch,
                          const struct device *device,
                          const char *kernel,
                          uint64_t number)
{
    struct channel_prepare *prepare = &question->prepare;
    size_t blocks;

    channel_message_init(question, CHANNEL_PREPARE);
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
    memcpy(prepare->soc, device->soc, sizeof(prepare->soc));
    snprintf(prepare->kernel, sizeof(prepare->kernel), "%s", kernel);
    ranges_write(prepare->ranges, sizeof(prepare->ranges));
}

/* The worker's word about this launch; what it says for later is remembered. */
static bool decide(union channel_message *question, union channel_message *answer)
{
    if (!session_ask(question, answer)) {
        session_end();
        return false;
    }
    switch (answer->decision.answer) {
    case CHANNEL_PROFILE:
        return true;
    case CHANNEL_PASS_KERNEL:
        name_pass_always(question->prepare.kernel);
        return false;
    case CHANNEL_PASS_ALL:
        session_end();
        return false;
    default:
        return false;
    }
}

static int pass_through(const struct launch *launch, struct device *device, int saved)
{
    struct device *shared = device_share(device);
    int result;

    errno = saved;
    result = launch->run(launch->call);
    saved = errno;
    device_unshare(shared);
    errno = saved;
    return result;
}

int replay_launch(const struct launch *launch)
{
    union channel_message question, answer;
    char kernel[KERNEL_NAME_MAX];
    uint64_t number = atomic_fetch_add(&launches, 1) + 1;
    struct device *device = device_current();
    int saved = errno, result;

    if (!device || runtime_is_capturing(launch->stream) ||
        mc2_take(device->visible, launch->stream, launch->words, launch->word_bytes))
        return pass_through(launch, device, saved);
    if (launch->kernel)
        snprintf(kernel, sizeof(kernel), "%s", launch->kernel);
    else
        name_get(launch->func, kernel);
    if (name_passes(kernel) || atomic_load(&device->shared) || !driver_learn(device))
        return pass_through(launch, device, saved);

    fill_question(&question, launch, device, kernel, number);
    if (!decide(&question, &answer) || !device_claim(device))
        return pass_through(launch, device, saved);
    errno = saved;
    result = profile_by_plan(launch, device, &question.prepare, &answer.decision);
    device_release(device);
    errno = saved;
    return result;
}
