#include "inject/replay/group_replay.h"

#include <errno.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/comm.h"
#include "inject/program/expert_rows.h"
#include "inject/program/kernel_names.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/application_pass.h"
#include "inject/replay/ask_worker.h"
#include "inject/replay/fault_points.h"
#include "inject/replay/group_barrier.h"
#include "inject/replay/instrument.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/pass_sharing.h"
#include "inject/replay/pass_through.h"
#include "inject/replay/passes.h"
#include "inject/replay/replay_state.h"
#include "inject/session/record_output.h"
#include "inject/session/session.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"
#include "lib/shm/rank_barrier.h"

enum { LIMIT_MS = 10 * 1000, LIMIT_MAX_MS = 3600 * 1000 };

static enum barrier_reason reason_of(int result)
{
    return result == 0                  ? BARRIER_RELEASED
           : result == ABI_SYNC_TIMEOUT ? BARRIER_KERNEL_STUCK
                                        : BARRIER_KERNEL_FAILED;
}

/* Waits for earlier work and saves the memory. When the AI CPU kernel of an MC2
 * operator is queued, its streams wait for the kernel that inject holds back. So only
 * the kernel's own stream can be synchronized. */
static enum barrier_reason save(struct group_replay *group,
                                enum snapshot_answer *answer)
{
    struct replay *replay = &group->replay;
    int waited = replay->launch->kind == LAUNCH_MC2
                     ? runtime_sync_stream(replay->launch->stream, replay->sync_ms)
                     : runtime_sync_device(replay->sync_ms);

    *answer = SNAPSHOT_NO_ROOM;
    if (waited != 0) {
        replay_give_up_with(replay, "earlier work on the device failed or did not end",
                            waited);
        if (waited != ABI_SYNC_TIMEOUT)
            deferred_errors_put(waited, replay->device->visible, NULL);
        return BARRIER_EARLIER_WORK;
    }
    if (!fault_point(FAULT_SAVE))
        *answer =
            snapshot_take(&replay->snapshot, replay->device, replay->launch->stream);
    if (*answer != SNAPSHOT_NO_ROOM)
        return BARRIER_RELEASED;
    replay_give_up(replay, "the memory could not be saved");
    return BARRIER_NO_ROOM;
}

static enum barrier_reason run_first(struct group_replay *group, int *result)
{
    struct replay *replay = &group->replay;
    int status = 0, began, sync_ms = replay->sync_ms;

    if (barrier_remote_delay_ms(run_ranks_barrier()) &&
        sync_ms < (int)group_barrier_first_limit_ms(group))
        replay->sync_ms = (int)group_barrier_first_limit_ms(group);
    group->likeness = pass_sharing_fingerprint(replay);
    began = pass_first(replay, result, &status);
    replay->sync_ms = sync_ms;
    if (began < 0)
        return *result != 0 ? BARRIER_KERNEL_FAILED : reason_of(status);
    if (snapshot_take_same_blocks(&group->results, &replay->snapshot,
                                  replay->launch->stream) != SNAPSHOT_NO_ROOM)
        return BARRIER_RELEASED;
    replay_give_up(replay, "the results of the first execution could not be kept");
    return BARRIER_NO_ROOM;
}

static enum barrier_reason
open_pass(struct group_replay *group, struct pass *pass, uint32_t number)
{
    switch (pass_open(&group->replay, pass, group->kind, number)) {
    case PASS_NOT_RESTORED:
        return BARRIER_NOT_RESTORED;
    case PASS_NOT_ARMED:
        return BARRIER_NOT_ARMED;
    default:
        fault_point(FAULT_START);
        return BARRIER_RELEASED;
    }
}

static enum barrier_reason
end_pass(struct group_replay *group, struct pass *pass, int result, bool last)
{
    bool whole = pass_close(&group->replay, pass);

    fault_point(FAULT_END);
    group->failure = result;
    if (result != 0)
        return reason_of(result);
    if (!whole) {
        replay_give_up(&group->replay, "the driver lost data");
        return BARRIER_DATA_LOST;
    }
    return last ? BARRIER_FINISHED : BARRIER_RELEASED;
}

static bool run_pass(struct group_replay *group, uint32_t n)
{
    bool last = n + 1 == passes_count(&group->replay);
    enum barrier_reason reason;
    struct pass pass;
    uint32_t number;

    passes_nth(&group->replay, n, &group->kind, &number);
    reason = open_pass(group, &pass, number);
    if (!group_barrier_wait(group, BARRIER_START, n, reason)) {
        pass_close(&group->replay, &pass);
        return false;
    }
    reason = end_pass(group, &pass, pass_run(&group->replay, &pass), last);
    if (!group_barrier_wait(group, BARRIER_END, n, reason))
        return false;
    group->replay.end.passes_done += group->kind == PASS_COUNTERS;
    return true;
}

static bool is_of_a_kernel(enum barrier_reason reason)
{
    return reason == BARRIER_KERNEL_FAILED || reason == BARRIER_KERNEL_STUCK;
}

/* Restores the results of the first execution. After a failed kernel the state of the
 * communicator is unknown, so each rank also returns an error to its program; otherwise
 * the program would use wrong results of later operations. */
static void restore_results(struct group_replay *group)
{
    struct replay *replay = &group->replay;
    int result = 0;

    if (group->failure || is_of_a_kernel(group->outcome.reason))
        deferred_errors_put(group->failure ? group->failure : ABI_PEER_FAILED,
                            replay->device->visible, NULL);

    replay_abort(replay);
    if (!session_restore_is_off() && group->results.bytes > 0)
        result =
            snapshot_restore(&group->results, replay->launch->stream, replay->sync_ms);
    if (result != 0)
        deferred_errors_put(result, replay->device->visible, replay->launch->stream);
}

static void run_passes(struct group_replay *group)
{
    uint32_t n = 0;

    replay_profile(&group->replay, true);
    while (n < passes_count(&group->replay) && run_pass(group, n))
        n++;
    replay_profile(&group->replay, false);
    group->replay.end.complete = n == passes_count(&group->replay);
    if (!group->replay.end.complete)
        restore_results(group);
}

/* The parsers name the source lines of the kernel's time stamps with it. After the
 * passes, so that no other rank waits for it. */
static void write_code(const struct replay *replay)
{
    instrument_write_code(&(struct instrument_job){
        .launch = replay->launch,
        .number = replay->record.launch,
        .device = (uint32_t)replay->device->logical,
        .chip = replay->device->chip,
    });
}

/* The kernel has ended, so its results can be read. */
static void write_tokens(const struct replay *replay, int result)
{
    if (result == 0 && replay->end.complete)
        expert_rows_write(replay->record.kernel, replay->record.launch);
}

/* All ranks agreed to the replay, and the device is locked. */
static int replay_with_ranks(struct group_replay *group)
{
    const struct launch *launch = group->replay.launch;
    enum snapshot_answer answer;
    enum barrier_reason reason = save(group, &answer);
    int result = 0;

    replay_write_begin_record(&group->replay, answer);
    if (!group_barrier_wait(group, BARRIER_SAVED, 0, reason)) {
        result = launch->run(launch->call);
    } else {
        bool none = passes_count(&group->replay) == 0;

        reason = run_first(group, &result);
        if (reason == BARRIER_RELEASED && none)
            reason = BARRIER_FINISHED;
        if (group_barrier_wait(group, BARRIER_FIRST, 0, reason))
            run_passes(group);
        write_code(&group->replay);
    }
    write_tokens(&group->replay, result);
    snapshot_clear(&group->results);
    snapshot_clear(&group->replay.snapshot);
    replay_write_end_record(&group->replay, result);
    return result;
}

static void
decline(const struct group_replay *group, const char *kernel, bool notify_hosts)
{
    const struct barrier_arrival arrival = {
        .stage = barrier_stage(group->sequence, 0),
        .fingerprint = group->fingerprint,
        .reason = BARRIER_NOT_WANTED,
        .what = kernel,
    };

    barrier_decline(run_ranks_barrier(), &group->place, &arrival, notify_hosts);
}

static void write_group_record(const struct group_replay *group, bool replayed)
{
    const struct record_launch_group record = {
        .launch = group->replay.record.launch,
        .key = group->comm->key,
        .operation = group->sequence,
        .fingerprint = group->fingerprint,
        .rank = group->comm->rank,
        .ranks = group->comm->ranks,
        .replayed = replayed,
    };

    record_output_record(RECORD_LAUNCH_GROUP, &record, sizeof(record));
}

/* Returns true when a rank declined this operation, which needs no record. A rank at
 * another operation does: the text of that abort contains "(launch N)". */
static bool is_unrecorded_abort(const struct group_replay *group)
{
    return group->outcome.reason == BARRIER_NOT_WANTED &&
           strstr(group->replay.end.reason, "launch ") == NULL;
}

/* All ranks must plan the same number of executions of the same kernel. */
static uint64_t add_plan(uint64_t fingerprint, const struct control_decision *plan)
{
    const uint32_t shape[] = {plan->warmups, plan->pass_count,
                              plan->has_l2 && plan->l2_alone, plan->share_permille,
                              plan->plain};

    return comm_hash(fingerprint, shape, sizeof(shape));
}

static int profile(struct group_replay *group,
                   const struct launch *launch,
                   struct device *device,
                   const struct control_prepare *prepare,
                   const struct control_decision *plan)
{
    struct replay *replay = &group->replay;
    int longest_ms, result;
    bool agreed; /* all ranks voted for the replay */

    replay_init(replay, launch, device, prepare, plan);
    group->limit_ms = plan->barrier_ms > 0 && plan->barrier_ms <= LIMIT_MAX_MS
                          ? plan->barrier_ms
                          : LIMIT_MS;
    /* A rank whose kernel hangs must report that before it counts as late. */
    longest_ms = (int)(group->limit_ms - group->limit_ms / 4);
    if (replay->sync_ms > longest_ms)
        replay->sync_ms = longest_ms;
    group->fingerprint = add_plan(group->fingerprint, plan);
    fault_point(FAULT_PREPARE);
    agreed = group_barrier_wait(group, BARRIER_PREPARE, 0, BARRIER_RELEASED);
    if (!agreed && is_unrecorded_abort(group))
        return pass_through(launch, device);
    write_group_record(group, agreed);
    if (agreed && device_lock_exclusive_for(device, group->limit_ms)) {
        result = replay_with_ranks(group);
        device_unlock_exclusive(device);
        return result;
    }
    replay_write_begin_record(replay, SNAPSHOT_EMPTY);
    if (agreed) {
        replay_give_up(replay, "the device did not become free");
        group_barrier_wait(group, BARRIER_SAVED, 0, BARRIER_EARLIER_WORK);
    }
    result = pass_through(launch, device);
    replay_write_end_record(replay, result);
    return result;
}

/* Application replay: no barrier, because the operation itself synchronizes the ranks.
 */
static int measure_application_pass(struct group_replay *group,
                                    const struct launch *launch,
                                    struct device *device,
                                    const struct control_prepare *prepare,
                                    const struct control_decision *plan)
{
    int result;

    decline(group, prepare->kernel, false);
    replay_init(&group->replay, launch, device, prepare, plan);
    if (!device_lock_exclusive_for(device, (uint32_t)group->replay.sync_ms))
        return pass_through(launch, device);
    write_group_record(group, false);
    result = application_pass(&group->replay);
    write_tokens(&group->replay, result);
    device_unlock_exclusive(device);
    return result;
}

int one_sided_launch(const struct launch *launch,
                     const struct comm *comm,
                     struct device *device,
                     const char *kernel,
                     uint64_t number)
{
    struct group_replay group = {.comm = comm};
    union control_message question, answer;
    int saved = errno, result;

    if (kernel_name_is_skipped(kernel) || !driver_read_device(device))
        return pass_through(launch, device);
    ask_worker_prepare(&question, launch, device, kernel, number);
    if (!ask_worker(launch, &question, &answer))
        return pass_through(launch, device);
    replay_init(&group.replay, launch, device, &question.prepare, &answer.decision);
    errno = saved;
    if (answer.decision.once &&
        device_lock_exclusive_for(device, (uint32_t)group.replay.sync_ms)) {
        write_group_record(&group, false);
        result = application_pass(&group.replay);
        device_unlock_exclusive(device);
    } else {
        replay_write_begin_record(&group.replay, SNAPSHOT_EMPTY);
        replay_give_up(&group.replay,
                       "only some ranks of the communicator run this operator; measure "
                       "it with 'replay: application'");
        result = pass_through(launch, device);
        replay_write_end_record(&group.replay, result);
    }
    errno = saved;
    return result;
}

int group_launch(const struct launch *launch,
                 const struct comm *comm,
                 struct device *device,
                 const char *kernel,
                 uint64_t number,
                 uint64_t sequence,
                 uint64_t fingerprint,
                 bool can_repeat)
{
    struct group_replay group = {
        .comm = comm, .sequence = sequence, .fingerprint = fingerprint};
    union control_message question, answer;
    int saved = errno, result;

    control_message_init(&answer, CONTROL_DECISION);
    if (sequence == 0 || !run_ranks_place(comm, &group.place))
        return pass_through(launch, device);
    fault_rank(comm->rank);
    if (!can_repeat || run_ranks_group_is_skipped(comm) ||
        kernel_name_is_skipped(kernel)) {
        decline(&group, kernel, false);
        return pass_through(launch, device);
    }
    ask_worker_prepare(&question, launch, device, kernel, number);
    question.prepare.group = run_ranks_key(comm);
    question.prepare.sequence = sequence;
    if (!ask_worker(launch, &question, &answer)) {
        if (answer.decision.answer == CONTROL_PASS_GROUP)
            run_ranks_skip_group(comm);
        decline(&group, kernel, true);
        return pass_through(launch, device);
    }
    errno = saved;
    result = (answer.decision.once ? measure_application_pass : profile)(
        &group, launch, device, &question.prepare, &answer.decision);
    errno = saved;
    return result;
}
