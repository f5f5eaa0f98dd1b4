/* heat.h - how busy a card has been, and how warm that makes it
 *
 * Two averages of the busy time that forget: a slow one that is the heat of the card,
 * and a fast one that is its utilisation. Pure: times come from the caller. */
#ifndef SIM_CARD_HEAT_H
#define SIM_CARD_HEAT_H

#include <stdint.h>

struct soc;

struct heat {
    double warm;    /* 0 to 1: share of the last half minute */
    double busy;    /* 0 to 1: share of the last second */
    uint64_t at_ns; /* when that was */
};

/* The card was busy for so long, until now. */
void heat_add(struct heat *heat, uint64_t now_ns, uint64_t busy_ns);
/* What is left of it now. */
struct heat heat_at(const struct heat *heat, uint64_t now_ns);

double heat_celsius(const struct heat *heat, const struct soc *soc, double ambient);
double heat_watts(const struct heat *heat, const struct soc *soc);
/* What the clock is multiplied with: 1 up to a limit, then less by the degree. */
double heat_throttle(double celsius);

#endif
