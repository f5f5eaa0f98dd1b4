/* plan.h - the modelled times of one operation of a communicator
 *
 * All ranks have shared their arrivals in their statements. Each rank computes the
 * times of all ranks from them and from the links, so all get the same. Order of calls:
 * plan_begin(), plan_add_turn() for each turn, plan_make(). */
#ifndef SIM_HCCL_TIMES_PLAN_H
#define SIM_HCCL_TIMES_PLAN_H

#include <npu_sim/comm.h>

#include "sim/hccl/times/arrival.h"
#include "sim/hccl/times/cost.h"
#include "sim/hccl/times/schedule.h"

#define PLAN_TURNS_MAX NPU_SIM_COMM_TURNS

struct plan_turn {
    uint64_t
        *times; /* of a stage, as cost_of_stage() returns them; owned by the plan */
    uint64_t *bytes; /* likewise; for this rank only: to each rank, then from each */
};

struct plan {
    uint32_t ranks, own;
    uint64_t number; /* of the operation in its communicator */
    uint64_t seed;
    double noise; /* of all transfers of the operation */
    uint64_t start_ns[GROUP_RANKS_MAX], compute_ns[GROUP_RANKS_MAX];
    uint64_t anchor_ns; /* the common moment; CLOCK_MONOTONIC of this machine */
    uint64_t anchor;    /* ticks at the same moment */
    uint64_t late_ns;   /* of this rank: what its host adds to the modelled times */
    uint32_t turn_count;
    struct plan_turn turns[PLAN_TURNS_MAX];
    struct schedule schedule;
};

/* Reads the arrivals of the current statements. */
void plan_begin(struct plan *plan, struct group *group);
/* Returns false when out of memory, or when the plan has all its turns. */
bool plan_add_turn(struct plan *plan,
                   struct group *group,
                   const struct cost_way *way,
                   uint64_t longest);
bool plan_make(struct plan *plan, uint32_t stages, bool computes_first);
void plan_clear(struct plan *plan);

/* Returns the ticks by which the ranks' common clock is ahead of this rank's stream,
 * whose anchor was `anchor`: other ranks arrived later on the host, but not in the
 * model. */
uint64_t plan_slip(const struct plan *plan, uint64_t anchor);
/* Returns the tick of this rank's card at ns after the common moment. */
uint64_t plan_ticks(const struct plan *plan, uint64_t ns);

#endif
