/* plant.h - puts the faults of this host into its cards */
#ifndef SIM_CARD_PLANT_H
#define SIM_CARD_PLANT_H

#include <stdbool.h>

struct config;

/* All of the fleet file that meet this host and this process. False: out of memory. */
bool plant_all(struct config *config, const char *(*get)(const char *name));

#endif
