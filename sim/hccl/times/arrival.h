/* arrival.h - when the ranks of an operation arrive, on one clock
 *
 * A rank arrives some modelled time after its anchor, a moment of its host
 * (runtime/stream_time.h). Modelled times count exactly. Differences between the
 * anchors come from the hosts: they count in whole steps, rounded to the nearest, so
 * that ranks which a barrier released together start together on a loaded machine too.
 * This module has no thread and no clock. */
#ifndef SIM_HCCL_TIMES_ARRIVAL_H
#define SIM_HCCL_TIMES_ARRIVAL_H

#include <stdint.h>

struct arrival {
    uint64_t machine;   /* anchors of different machines cannot be compared */
    uint64_t anchor_ns; /* CLOCK_MONOTONIC of that machine */
    uint64_t since_ns;  /* modelled time after the anchor */
    uint64_t compute_ns;
    uint64_t seed; /* of the noise; that of rank 0 counts */
};

/* Sets the start of each rank in ns after a common moment, and returns that moment in
 * CLOCK_MONOTONIC of the machine of rank `own`. No rank starts before it arrives. Ranks
 * on another machine than rank 0 count as released together with the first rank.
 * step_ns 0: differences between anchors count exactly. */
uint64_t arrivals_align(const struct arrival *arrivals,
                        uint32_t ranks,
                        uint32_t own,
                        uint64_t step_ns,
                        uint64_t *start_ns);

#endif
