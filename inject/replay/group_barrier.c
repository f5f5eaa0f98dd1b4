#include "inject/replay/group_barrier.h"

#include <stdio.h>

#include "inject/base/thread.h"
#include "inject/program/comm.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/pass_sharing.h"
#include "inject/replay/passes.h"
#include "inject/session/record_output.h"
#include "lib/shm/control_channel.h"

enum {
    BEGIN_MS = 400 /* from the abort on another host to the launch of its kernel */
};

static const char *const phase_texts[] = {
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

static void write_barrier_record(const struct group_replay *group,
                                 enum barrier_phase phase,
                                 uint32_t execution,
                                 enum barrier_reason reason)
{
    const struct barrier_outcome *outcome = &group->outcome;
    struct record_barrier record = {
        .launch = group->replay.record.launch,
        .key = group->comm->key,
        .operation = group->sequence,
        .fingerprint = group->fingerprint,
        .arrived_ns = outcome->arrived_ns,
        .planned_ns = outcome->planned_ns,
        .released_ns = outcome->released_ns,
        .root_offset_ns = outcome->root_offset_ns,
        .root_uncertainty_ns = outcome->root_uncertainty_ns,
        .phase = phase,
        .execution = execution,
        .rank = group->comm->rank,
        .ranks = group->comm->ranks,
        .said = reason == BARRIER_FINISHED ? BARRIER_RELEASED : reason,
        .reason = barrier_is_released(outcome) ? BARRIER_RELEASED : outcome->reason,
        .culprit = outcome->culprit == BARRIER_RANK_UNKNOWN ? BARRIER_NO_CULPRIT
                                                            : outcome->culprit,
        .pass_kind = phase >= BARRIER_START ? group->kind : 0,
    };

    snprintf(record.word, sizeof(record.word), "%s",
             barrier_reason_name(barrier_is_released(outcome) ? BARRIER_RELEASED
                                                              : outcome->reason));
    record_output_record(RECORD_BARRIER, &record, sizeof(record));
}

/* Stores why the replay ended. A reason that this rank stored before has priority. */
static void store_abort_text(struct group_replay *group,
                             enum barrier_phase phase,
                             uint32_t execution,
                             uint64_t stage)
{
    char cause[96], number[16] = "", error[40] = "", name[40] = "", text[200];

    barrier_describe(run_ranks_barrier(), &group->place, stage, &group->outcome, cause,
                     sizeof(cause));
    if (phase >= BARRIER_START)
        snprintf(number, sizeof(number), " %u", execution + 1);
    if (group->failure)
        snprintf(error, sizeof(error), " (error %d on this rank)", group->failure);
    if (group->outcome.reason == BARRIER_DEADLOCK) /* other groups are not affected */
        snprintf(name, sizeof(name), "group %.26s: ", group->comm->name);
    snprintf(text, sizeof(text), "%s%s: %s%s%s", phase_texts[phase], number, name,
             cause, error);
    replay_give_up(&group->replay, text);
}

static uint32_t remaining_ms(uint32_t limit_ms, uint64_t since_ns)
{
    uint64_t elapsed_ms = (thread_now_ns() - since_ns) / 1000000;

    return elapsed_ms + limit_ms / 8 < limit_ms ? limit_ms - (uint32_t)elapsed_ms
                                                : limit_ms / 8;
}

uint32_t group_barrier_first_limit_ms(const struct group_replay *group)
{
    uint32_t delay_ms = barrier_remote_delay_ms(run_ranks_barrier());

    return group->limit_ms + (delay_ms ? delay_ms + BEGIN_MS : 0);
}

/* Returns true for the last execution before the first counter pass. Its duration has
 * no start-up costs of the first execution. */
static bool
is_compared(const struct group_replay *group, enum barrier_phase phase, uint32_t n)
{
    uint32_t warmups = group->replay.plan->warmups;

    return warmups ? phase == BARRIER_END && n + 1 == warmups : phase == BARRIER_FIRST;
}

/* Writes the reason why the ranks share the passes, or do not. */
static void describe_sharing(const struct barrier_outcome *outcome,
                             uint32_t permille,
                             char *why,
                             size_t size)
{
    double percent = outcome->least_ns
                         ? 100.0 * (double)(outcome->most_ns - outcome->least_ns) /
                               (double)outcome->least_ns
                         : 0;

    if (barrier_remote_delay_ms(run_ranks_barrier()))
        snprintf(why, size, "the ranks are on several hosts");
    else if (outcome->likeness == BARRIER_ALIKE ||
             outcome->likeness == BARRIER_OTHER_DURATIONS)
        snprintf(why, size, "device times differ by %.1f %%, at most %.1f %% allowed",
                 percent, permille / 10.0);
    else if (outcome->likeness == BARRIER_OTHER_KERNELS)
        snprintf(why, size, "the ranks have other kernels, blocks or arguments");
    else
        snprintf(why, size, "a rank has no device time of the launch");
}

/* All ranks read the same outcome, so either all ranks share the passes or none does.
 */
static void share_passes(struct group_replay *group)
{
    struct replay *replay = &group->replay;
    struct record_launch_share record = {
        .launch = replay->record.launch,
        .key = group->comm->key,
        .operation = group->sequence,
        .likeness = group->likeness,
        .took_ns = replay->took_ns,
        .permille = replay->plan->share_permille,
        .rank = group->comm->rank,
        .ranks = group->comm->ranks,
        .passes_full = replay->plan->pass_count,
    };

    if (!record.permille || record.passes_full < 2)
        return;
    describe_sharing(&group->outcome, record.permille, record.why, sizeof(record.why));
    if (group->outcome.likeness == BARRIER_ALIKE) {
        record.shared = 1;
        replay->part = record.rank;
        replay->parts = record.ranks;
    }
    record.passes = pass_sharing_count(replay);
    record_output_record(RECORD_LAUNCH_SHARE, &record, sizeof(record));
}

bool group_barrier_wait(struct group_replay *group,
                        enum barrier_phase phase,
                        uint32_t execution,
                        enum barrier_reason reason)
{
    uint32_t limit_ms = group->limit_ms;
    const struct barrier_arrival arrival = {
        .stage = barrier_stage(group->sequence, step_of(phase, execution)),
        .fingerprint = group->fingerprint,
        .reason = reason,
        .what = group->replay.record.kernel,
        .likeness = is_compared(group, phase, execution) ? group->likeness : 0,
        .took_ns = group->replay.took_ns,
        .permille = group->replay.plan->share_permille,
    };

    if (phase == BARRIER_FIRST)
        limit_ms = group_barrier_first_limit_ms(group);
    if (phase == BARRIER_END) /* the wait for the kernel used a part of the limit */
        limit_ms = remaining_ms(limit_ms, group->outcome.released_ns);
    barrier_wait(run_ranks_barrier(), &group->place, &arrival, limit_ms,
                 &group->outcome);
    write_barrier_record(group, phase, execution, reason);
    if (barrier_is_released(&group->outcome)) {
        if (is_compared(group, phase, execution))
            share_passes(group);
        return true;
    }
    store_abort_text(group, phase, execution, arrival.stage);
    return false;
}
