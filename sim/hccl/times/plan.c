#include "sim/hccl/times/plan.h"

#include <stdlib.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/fleet/noise.h"

#define JITTER_NS 300 /* most that a rank starts late */
/* most that a transfer takes longer: all of an operation, those of a link, each one */
#define OPERATION_NOISE 0.015
#define LINK_NOISE      0.005
#define TRANSFER_NOISE  0.01

void plan_begin(struct plan *plan, struct group *group)
{
    struct arrival arrivals[GROUP_RANKS_MAX];

    *plan = (struct plan){
        .ranks = group->ranks, .own = group->rank, .number = group->rounds};
    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        arrivals[rank] = group_statement(group, rank)->arrival;
        plan->compute_ns[rank] = arrivals[rank].compute_ns;
    }
    plan->seed = npu_sim_noise_mix(arrivals[0].seed, plan->number);
    plan->anchor_ns = arrivals_align(arrivals, plan->ranks, plan->own,
                                     npu_sim_rank_step_ns(), plan->start_ns);
    plan->anchor = npu_sim_ticks_at(plan->anchor_ns);
    plan->late_ns = plan->start_ns[plan->own] - arrivals[plan->own].since_ns;
    for (uint32_t rank = 0; rank < group->ranks; rank++)
        plan->start_ns[rank] += (uint64_t)npu_sim_noise_of(
            JITTER_NS, npu_sim_noise_mix(plan->seed, UINT64_MAX - rank));
}

static uint64_t *copy_of(const uint64_t *times, size_t count)
{
    uint64_t *copy = times ? malloc(count * sizeof(*copy)) : NULL;

    if (copy)
        memcpy(copy, times, count * sizeof(*copy));
    return copy;
}

bool plan_add_turn(struct plan *plan,
                   struct group *group,
                   const struct cost_way *way,
                   uint64_t longest)
{
    struct plan_turn *turn = &plan->turns[plan->turn_count];
    size_t ranks = plan->ranks;

    if (plan->turn_count == PLAN_TURNS_MAX)
        return false;
    turn->times = copy_of(cost_of_stage(group, way, longest), ranks * ranks);
    turn->bytes = malloc(2 * ranks * sizeof(*turn->bytes));
    plan->turn_count++;
    if (!turn->times || !turn->bytes)
        return false;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        turn->bytes[rank] = cost_bytes(group, way, longest, plan->own, rank);
        turn->bytes[ranks + rank] = cost_bytes(group, way, longest, rank, plan->own);
    }
    return true;
}

static double noise_of(const struct plan *plan, double most, uint64_t what)
{
    return npu_sim_noise_of(most, npu_sim_noise_mix(plan->seed, what));
}

/* The time of a transfer with its noise, which is equal on all ranks. */
static uint64_t
transfer_ns(const void *arg, uint32_t turn, uint32_t stage, uint32_t from, uint32_t to)
{
    const struct plan *plan = arg;
    uint64_t ns = plan->turns[turn].times[from * plan->ranks + to];
    uint64_t link = (uint64_t)from << 16 | to;
    uint64_t step = (uint64_t)(turn * plan->schedule.of.stages + stage + 1) << 32;

    if (ns == SCHEDULE_NOTHING)
        return ns;
    return ns +
           (uint64_t)((double)ns * (plan->noise + noise_of(plan, LINK_NOISE, link) +
                                    noise_of(plan, TRANSFER_NOISE, step | link)));
}

bool plan_make(struct plan *plan, uint32_t stages, bool computes_first)
{
    const struct schedule_input input = {
        .ranks = plan->ranks,
        .turns = plan->turn_count,
        .stages = stages,
        .computes_first = computes_first,
        .start_ns = plan->start_ns,
        .compute_ns = plan->compute_ns,
        .transfer_ns = transfer_ns,
        .arg = plan,
    };

    plan->noise = noise_of(plan, OPERATION_NOISE, 0);
    return schedule_make(&plan->schedule, &input);
}

void plan_clear(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->turn_count; i++) {
        free(plan->turns[i].times);
        free(plan->turns[i].bytes);
    }
    schedule_clear(&plan->schedule);
    plan->turn_count = 0;
}

uint64_t plan_slip(const struct plan *plan, uint64_t anchor)
{
    uint64_t now = plan_ticks(plan, plan->late_ns);

    return now > anchor ? now - anchor : 0;
}

uint64_t plan_ticks(const struct plan *plan, uint64_t ns)
{
    return plan->anchor + npu_sim_ticks_of_ns(ns);
}
