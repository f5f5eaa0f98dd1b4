#include "inject/replay/group_replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_names.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/application_pass.h"
#include "inject/replay/ask_worker.h"
#include "inject/replay/deferred_errors.h"
#include "inject/replay/fault_points.h"
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

enum {
    LIMIT_MS = 10 * 1000,
    LIMIT_MAX_MS = 3600 * 1000,
    BEGIN_MS = 400, /* from giving up to having begun */
};

struct group_replay {
    struct replay replay;
    const struct comm *comm;
    struct barrier_place place;
    uint64_t sequence, fingerprint;
    uint64_t likeness; /* what like ranks have alike; once it was executed */
    uint32_t limit_ms;
    struct barrier_outcome verdict; /* of the last meeting */
    enum pass_kind kind;            /* of the execution that is on */
    int failure;                    /* the runtime's, of an execution here */
    struct snapshot results;        /* what the first execution left */
};

/* Meetings. */

static const char *const moments[] = {
    [BARRIER_PREPARE] = "before the launch",
    [BARRIER_SAVED] = "saving memory",
    [BARRIER_FIRST] = "in the first execution",
    [BARRIER_START] = "before replay",
    [BARRIER_END] = "in replay",
};

static uint32_t step_of(enum barrier_phase phase, uint32_t execution)
{
    switch (phase) {
    case BARRIER_START:
        return 3 + 2 * execution;
    case BARRIER_END:
        return 4 + 2 * execution;
    default:
        return phase - BARRIER_PREPARE;
    }
}

static void tell_barrier(const struct group_replay *party,
                         enum barrier_phase phase,
                         uint32_t execution,
                         enum barrier_reason said)
{
    const struct barrier_outcome *verdict = &party->verdict;
    struct record_barrier record = {
        .launch = party->replay.record.launch,
        .key = party->comm->key,
        .operation = party->sequence,
        .fingerprint = party->fingerprint,
        .arrived_ns = verdict->arrived_ns,
        .planned_ns = verdict->planned_ns,
        .released_ns = verdict->released_ns,
        .root_offset_ns = verdict->root_offset_ns,
        .root_uncertainty_ns = verdict->root_uncertainty_ns,
        .phase = phase,
        .execution = execution,
        .rank = party->comm->rank,
        .ranks = party->comm->ranks,
        .said = said == BARRIER_FINISHED ? BARRIER_RELEASED : said,
        .reason = barrier_is_released(verdict) ? BARRIER_RELEASED : verdict->reason,
        .culprit = verdict->culprit == BARRIER_RANK_UNKNOWN ? BARRIER_NO_CULPRIT
                                                            : verdict->culprit,
        .pass_kind = phase >= BARRIER_START ? party->kind : 0,
    };

    snprintf(record.word, sizeof(record.word), "%s",
             barrier_reason_name(barrier_is_released(verdict) ? BARRIER_RELEASED
                                                              : verdict->reason));
    record_output_record(RECORD_BARRIER, &record, sizeof(record));
}

/* A rank's own words count more than what the others heard of it. */
static void keep_reason(struct group_replay *party,
                        enum barrier_phase phase,
                        uint32_t execution,
                        uint64_t stage)
{
    char told[96], number[16] = "", here[24] = "", text[160];

    barrier_describe(run_ranks_barrier(), &party->place, stage, &party->verdict, told,
                     sizeof(told));
    if (phase >= BARRIER_START)
        snprintf(number, sizeof(number), " %u", execution + 1);
    if (party->failure)
        snprintf(here, sizeof(here), " (%d here)", party->failure);
    snprintf(text, sizeof(text), "%s%s: %s%s", moments[phase], number, told, here);
    replay_give_up(&party->replay, text);
}

static uint32_t left_of(uint32_t limit_ms, uint64_t since_ns)
{
    uint64_t gone_ms = (thread_now_ns() - since_ns) / 1000000;

    return gone_ms + limit_ms / 8 < limit_ms ? limit_ms - (uint32_t)gone_ms
                                             : limit_ms / 8;
}

/* Another host may have been left without the word that let us begin. It gives up at
 * its own limit, and then begins as well, alone: the first execution is waited for that
 * long, since it is the program's own. */
static uint32_t first_limit(const struct group_replay *party)
{
    uint32_t word_ms = barrier_remote_delay_ms(run_ranks_barrier());

    return party->limit_ms + (word_ms ? word_ms + BEGIN_MS : 0);
}

/* Before the first pass that counts, and as late as that: what came with the first
 * execution only has no part in how long it takes. */
static bool
is_compared(const struct group_replay *party, enum barrier_phase phase, uint32_t n)
{
    uint32_t warmups = party->replay.plan->warmups;

    return warmups ? phase == BARRIER_END && n + 1 == warmups : phase == BARRIER_FIRST;
}

/* All have heard the same of each other, so all make a part, or all make everything. */
static void share_passes(struct group_replay *party)
{
    struct replay *replay = &party->replay;
    struct record_launch_share record = {
        .launch = replay->record.launch,
        .key = party->comm->key,
        .operation = party->sequence,
        .likeness = party->likeness,
        .took_ns = replay->took_ns,
        .permille = replay->plan->share_permille,
        .rank = party->comm->rank,
        .ranks = party->comm->ranks,
        .passes_full = replay->plan->pass_count,
    };

    if (!record.permille || record.passes_full < 2)
        return;
    if (party->verdict.alike) {
        record.shared = 1;
        replay->part = record.rank;
        replay->parts = record.ranks;
    } else {
        snprintf(record.why, sizeof(record.why), "%s",
                 barrier_remote_delay_ms(run_ranks_barrier())
                     ? "the ranks are on several hosts"
                     : "the ranks are not alike");
    }
    record.passes = pass_sharing_count(replay);
    record_output_record(RECORD_LAUNCH_SHARE, &record, sizeof(record));
}

/* True: all go on. */
static bool meet(struct group_replay *party,
                 enum barrier_phase phase,
                 uint32_t execution,
                 enum barrier_reason said)
{
    uint32_t limit_ms = party->limit_ms;
    const struct barrier_arrival arrival = {
        .stage = barrier_stage(party->sequence, step_of(phase, execution)),
        .fingerprint = party->fingerprint,
        .reason = said,
        .what = party->replay.record.kernel,
        .likeness = is_compared(party, phase, execution) ? party->likeness : 0,
        .took_ns = party->replay.took_ns,
        .permille = party->replay.plan->share_permille,
    };

    /* Who waited for a kernel in vain has not as much time left to wait for a rank. */
    if (phase == BARRIER_FIRST)
        limit_ms = first_limit(party);
    if (phase == BARRIER_END)
        limit_ms = left_of(limit_ms, party->verdict.released_ns);
    barrier_wait(run_ranks_barrier(), &party->place, &arrival, limit_ms,
                 &party->verdict);
    tell_barrier(party, phase, execution, said);
    if (barrier_is_released(&party->verdict)) {
        if (is_compared(party, phase, execution))
            share_passes(party);
        return true;
    }
    keep_reason(party, phase, execution, arrival.stage);
    return false;
}

static enum barrier_reason reason_of(int result)
{
    return result == 0                  ? BARRIER_RELEASED
           : result == ABI_SYNC_TIMEOUT ? BARRIER_KERNEL_STUCK
                                        : BARRIER_KERNEL_FAILED;
}

/* The steps between the meetings. */

/* With the halves of an operator queued already its other streams cannot be waited
 * for: they wait for the kernel that we hold. */
static enum barrier_reason save(struct group_replay *party,
                                enum snapshot_answer *answer)
{
    struct replay *replay = &party->replay;
    int waited = replay->launch->kind == LAUNCH_MC2
                     ? runtime_sync_stream(replay->launch->stream, replay->sync_ms)
                     : runtime_sync_device(replay->sync_ms);

    *answer = SNAPSHOT_NO_ROOM;
    if (waited != 0) {
        replay_give_up_with(replay, "earlier work of the device did not end well",
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

static enum barrier_reason run_first(struct group_replay *party, int *result)
{
    struct replay *replay = &party->replay;
    int status = 0, began, sync_ms = replay->sync_ms;

    if (barrier_remote_delay_ms(run_ranks_barrier()) &&
        sync_ms < (int)first_limit(party))
        replay->sync_ms = (int)first_limit(party);
    party->likeness = pass_sharing_fingerprint(replay);
    began = pass_first(replay, result, &status);
    replay->sync_ms = sync_ms;
    if (began < 0)
        return *result != 0 ? BARRIER_KERNEL_FAILED : reason_of(status);
    if (snapshot_take_same_blocks(&party->results, &replay->snapshot,
                                  replay->launch->stream) != SNAPSHOT_NO_ROOM)
        return BARRIER_RELEASED;
    replay_give_up(replay, "the results of the first execution could not be kept");
    return BARRIER_NO_ROOM;
}

static enum barrier_reason
open_pass(struct group_replay *party, struct pass *pass, uint32_t number)
{
    switch (pass_open(&party->replay, pass, party->kind, number)) {
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
end_pass(struct group_replay *party, struct pass *pass, int result, bool last)
{
    bool whole = pass_close(&party->replay, pass);

    fault_point(FAULT_END);
    party->failure = result;
    if (result != 0)
        return reason_of(result);
    if (!whole) {
        replay_give_up(&party->replay, "the driver lost data");
        return BARRIER_DATA_LOST;
    }
    return last ? BARRIER_FINISHED : BARRIER_RELEASED;
}

static bool run_pass(struct group_replay *party, uint32_t n)
{
    bool last = n + 1 == passes_count(&party->replay);
    enum barrier_reason said;
    struct pass pass;
    uint32_t number;

    passes_nth(&party->replay, n, &party->kind, &number);
    said = open_pass(party, &pass, number);
    if (!meet(party, BARRIER_START, n, said)) {
        pass_close(&party->replay, &pass);
        return false;
    }
    said = end_pass(party, &pass, pass_run(&party->replay, &pass), last);
    if (!meet(party, BARRIER_END, n, said))
        return false;
    party->replay.end.passes_done += party->kind == PASS_COUNTERS;
    return true;
}

static bool is_of_a_kernel(enum barrier_reason reason)
{
    return reason == BARRIER_KERNEL_FAILED || reason == BARRIER_KERNEL_STUCK;
}

/* The launch was executed once, by all; what came after is undone. But when a kernel
 * failed half-way nobody knows what the communicator thinks: the program must hear of
 * that, on all ranks, or it would take what comes next for true. */
static void put_results_back(struct group_replay *party)
{
    struct replay *replay = &party->replay;
    int result = 0;

    if (party->failure || is_of_a_kernel(party->verdict.reason))
        deferred_errors_put(party->failure ? party->failure : ABI_PEER_FAILED,
                            replay->device->visible, NULL);

    replay_abort(replay);
    if (!session_restore_is_off() && party->results.bytes > 0)
        result =
            snapshot_restore(&party->results, replay->launch->stream, replay->sync_ms);
    if (result != 0)
        deferred_errors_put(result, replay->device->visible, replay->launch->stream);
}

static void run_passes(struct group_replay *party)
{
    uint32_t n = 0;

    replay_profile(&party->replay, true);
    while (n < passes_count(&party->replay) && run_pass(party, n))
        n++;
    replay_profile(&party->replay, false);
    party->replay.end.complete = n == passes_count(&party->replay);
    if (!party->replay.end.complete)
        put_results_back(party);
}

/* All want it, and the device is ours. */
static int replay_together(struct group_replay *party)
{
    const struct launch *launch = party->replay.launch;
    enum snapshot_answer answer;
    enum barrier_reason said = save(party, &answer);
    int result = 0;

    replay_write_begin_record(&party->replay, answer);
    if (!meet(party, BARRIER_SAVED, 0, said)) {
        result = launch->run(launch->call);
    } else {
        bool none = passes_count(&party->replay) == 0;

        said = run_first(party, &result);
        if (said == BARRIER_RELEASED && none)
            said = BARRIER_FINISHED;
        if (meet(party, BARRIER_FIRST, 0, said))
            run_passes(party);
    }
    snapshot_clear(&party->results);
    snapshot_clear(&party->replay.snapshot);
    replay_write_end_record(&party->replay, result);
    return result;
}

/* Before the first meeting. */

static void decline(const struct group_replay *party, const char *kernel, bool loud)
{
    const struct barrier_arrival arrival = {
        .stage = barrier_stage(party->sequence, 0),
        .fingerprint = party->fingerprint,
        .reason = BARRIER_NOT_WANTED,
        .what = kernel,
    };

    barrier_decline(run_ranks_barrier(), &party->place, &arrival, loud);
}

static void tell_group(const struct group_replay *party, bool replayed)
{
    const struct record_launch_group record = {
        .launch = party->replay.record.launch,
        .key = party->comm->key,
        .operation = party->sequence,
        .fingerprint = party->fingerprint,
        .rank = party->comm->rank,
        .ranks = party->comm->ranks,
        .replayed = replayed,
    };

    record_output_record(RECORD_LAUNCH_GROUP, &record, sizeof(record));
}

static bool is_quiet(const struct group_replay *party)
{
    return party->verdict.reason == BARRIER_NOT_WANTED &&
           strstr(party->replay.end.reason, "launch ") == NULL;
}

/* All ranks have to want the same number of executions, not only the same kernel. */
static uint64_t with_plan(uint64_t fingerprint, const struct control_decision *plan)
{
    const uint32_t shape[] = {plan->warmups, plan->pass_count,
                              plan->has_l2 && plan->l2_alone, plan->share_permille};

    return comm_hash(fingerprint, shape, sizeof(shape));
}

static int profile(struct group_replay *party,
                   const struct launch *launch,
                   struct device *device,
                   const struct control_prepare *asked,
                   const struct control_decision *plan)
{
    struct replay *replay = &party->replay;
    int most_ms, result;
    bool agreed;

    replay_init(replay, launch, device, asked, plan);
    party->limit_ms = plan->barrier_ms > 0 && plan->barrier_ms <= LIMIT_MAX_MS
                          ? plan->barrier_ms
                          : LIMIT_MS;
    /* A rank whose kernel hangs has to come and say so before it counts as late. */
    most_ms = (int)(party->limit_ms - party->limit_ms / 4);
    if (replay->sync_ms > most_ms)
        replay->sync_ms = most_ms;
    party->fingerprint = with_plan(party->fingerprint, plan);
    fault_point(FAULT_PREPARE);
    agreed = meet(party, BARRIER_PREPARE, 0, BARRIER_RELEASED);
    if (!agreed && is_quiet(party))
        return pass_through(launch, device);
    tell_group(party, agreed);
    if (agreed && device_lock_exclusive_for(device, party->limit_ms)) {
        result = replay_together(party);
        device_unlock_exclusive(device);
        return result;
    }
    replay_write_begin_record(replay, SNAPSHOT_EMPTY);
    if (agreed) {
        replay_give_up(replay, "the device did not become free");
        meet(party, BARRIER_SAVED, 0, BARRIER_EARLIER_WORK);
    }
    result = pass_through(launch, device);
    replay_write_end_record(replay, result);
    return result;
}

/* Application replay: the ranks meet in the operation itself, as without us. */
static int measure_once(struct group_replay *party,
                        const struct launch *launch,
                        struct device *device,
                        const struct control_prepare *asked,
                        const struct control_decision *plan)
{
    int result;

    decline(party, asked->kernel, false);
    replay_init(&party->replay, launch, device, asked, plan);
    if (!device_lock_exclusive_for(device, (uint32_t)party->replay.sync_ms))
        return pass_through(launch, device);
    tell_group(party, false);
    result = application_pass(&party->replay);
    device_unlock_exclusive(device);
    return result;
}

int group_launch(const struct launch *launch,
                 const struct comm *comm,
                 struct device *device,
                 const char *kernel,
                 uint64_t number,
                 uint64_t sequence,
                 uint64_t fingerprint,
                 bool may)
{
    struct group_replay party = {
        .comm = comm, .sequence = sequence, .fingerprint = fingerprint};
    union control_message question, answer;
    int saved = errno, result;

    control_message_init(&answer, CONTROL_DECISION);
    if (sequence == 0 || !run_ranks_place(comm, &party.place))
        return pass_through(launch, device);
    fault_rank(comm->rank);
    if (!may || run_ranks_group_is_skipped(comm) || kernel_name_is_skipped(kernel)) {
        decline(&party, kernel, false);
        return pass_through(launch, device);
    }
    ask_worker_prepare(&question, launch, device, kernel, number);
    question.prepare.group = run_ranks_key(comm);
    question.prepare.sequence = sequence;
    if (!ask_worker(&question, &answer)) {
        if (answer.decision.answer == CONTROL_PASS_GROUP)
            run_ranks_skip_group(comm);
        decline(&party, kernel, true);
        return pass_through(launch, device);
    }
    errno = saved;
    result = (answer.decision.once ? measure_once : profile)(
        &party, launch, device, &question.prepare, &answer.decision);
    errno = saved;
    return result;
}
