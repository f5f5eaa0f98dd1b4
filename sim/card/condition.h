/* condition.h - how a card is at this moment: its clock and what ails it
 *
 * Faults with `after_s` begin that many seconds after NPU_SIM_EPOCH, or after the
 * process first asked. */
#ifndef SIM_CARD_CONDITION_H
#define SIM_CARD_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

struct fault;
struct heat;

struct condition {
    uint32_t mhz;
    double slow;      /* cycles are multiplied by it */
    double neighbour; /* share of memory and L2 that somebody else has */
};

/* With the warmth that this process made; or with that of all. */
struct condition condition_of(uint32_t card);
struct condition condition_under(uint32_t card, const struct heat *heat);
/* Has the moment of a fault come? */
bool condition_holds(const struct fault *fault);
/* Nanoseconds that the clocks of this host are ahead, as planted. */
int64_t condition_clock_ns(int64_t monotonic_ns);

#endif
