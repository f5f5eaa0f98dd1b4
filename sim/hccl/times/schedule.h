/* schedule.h - the times of one operation in which several ranks take part
 *
 * An operation has turns (the tiles of a fused operator; a plain collective has one), a
 * turn has stages (an all-reduce has two: partial sums, then results). A stage of a
 * turn is a step. Each step follows the same rules on each rank r:
 *
 *   posted(r, step) = done(r, step - 1); in the first stage of a turn not before the
 *                     rank has the data of the turn
 *   begin(a, b)     = max(posted(a), posted(b)): two ranks transfer when both have
 * posted done(r, step)   = end of the last transfer to or from r
 *
 * An operator that computes first has the data of turn t of T at start + C (t + 1) / T,
 * where C is its computing time; any other one has all data at its start. An operator
 * that transfers first computes turn t, for C / T, after its last step. The document
 * docs/dev/simulated-time.md derives these rules.
 *
 * All times are ns from one common moment. This module has no thread and no clock. */
#ifndef SIM_HCCL_TIMES_SCHEDULE_H
#define SIM_HCCL_TIMES_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_NOTHING UINT64_MAX /* the two ranks exchange nothing in a step */

struct schedule_input {
    uint32_t ranks, turns, stages;
    bool computes_first;
    const uint64_t *start_ns;   /* of each rank */
    const uint64_t *compute_ns; /* of each rank, all turns together */
    /* Returns the time of a transfer, or SCHEDULE_NOTHING. */
    uint64_t (*transfer_ns)(const void *arg,
                            uint32_t turn,
                            uint32_t stage,
                            uint32_t from,
                            uint32_t to);
    const void *arg;
};

struct schedule {
    struct schedule_input of; /* borrowed */
    uint64_t *posted, *done;  /* of each step and rank */
};

struct schedule_span {
    uint64_t from, to;
};

/* Returns false when out of memory. */
bool schedule_make(struct schedule *schedule, const struct schedule_input *input);
void schedule_clear(struct schedule *schedule);

uint64_t schedule_posted(const struct schedule *schedule, uint32_t step, uint32_t rank);
uint64_t schedule_done(const struct schedule *schedule, uint32_t step, uint32_t rank);
/* Returns false when nothing is transferred. */
bool schedule_transfer(const struct schedule *schedule,
                       uint32_t step,
                       uint32_t from,
                       uint32_t to,
                       struct schedule_span *out);
struct schedule_span
schedule_computes(const struct schedule *schedule, uint32_t turn, uint32_t rank);
/* Returns when the rank has computed everything and has nothing more to transfer. */
uint64_t schedule_end(const struct schedule *schedule, uint32_t rank);

#endif
