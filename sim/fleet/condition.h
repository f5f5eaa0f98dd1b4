/* condition.h - the clock frequency and the active faults of a card at this moment
 *
 * A fault with `after_s` begins that many seconds after NPU_SIM_EPOCH. Without that
 * variable the seconds count from the first call of a function of this module. */
#ifndef SIM_FLEET_CONDITION_H
#define SIM_FLEET_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

struct fault;
struct heat;

struct condition {
    uint32_t mhz;
    double slow;      /* cycles are multiplied by it */
    double neighbour; /* share of memory bandwidth and L2 that another user has */
};

/* condition_of() uses the heat that this process made; condition_under() uses the heat
 * of all processes, which the caller has summed. */
struct condition condition_of(uint32_t card);
struct condition condition_under(uint32_t card, const struct heat *heat);
/* Returns true when the start time of a fault has passed. */
bool condition_holds(const struct fault *fault);
/* Returns the planted lead of this host's clocks, in nanoseconds. */
int64_t condition_clock_ns(int64_t monotonic_ns);

#endif
