/* heat.h - utilisation, temperature and power of a card, computed from its busy time
 *
 * Two exponential averages of the busy time: the slow one models the heat of the card,
 * the fast one is its utilisation. The caller supplies all times. */
#ifndef SIM_CARD_HEAT_H
#define SIM_CARD_HEAT_H

#include <stdint.h>

struct soc;

struct heat {
    double warm;    /* 0 to 1: busy share of the last half minute */
    double busy;    /* 0 to 1: busy share of the last second */
    uint64_t at_ns; /* time of these values */
};

/* Adds busy_ns of work that ended at now_ns. */
void heat_add(struct heat *heat, uint64_t now_ns, uint64_t busy_ns);
/* Returns the averages, decayed to now_ns. */
struct heat heat_at(const struct heat *heat, uint64_t now_ns);

double heat_celsius(const struct heat *heat, const struct soc *soc, double ambient);
double heat_watts(const struct heat *heat, const struct soc *soc);
/* Returns the factor on the clock frequency: 1 up to a limit, then falling with each
 * degree. */
double heat_throttle(double celsius);

#endif
