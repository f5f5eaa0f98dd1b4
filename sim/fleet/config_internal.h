/* config_internal.h - puts the faults of this host into the configuration of its cards
 */
#ifndef SIM_FLEET_CONFIG_INTERNAL_H
#define SIM_FLEET_CONFIG_INTERNAL_H

#include <stdbool.h>

struct config;

/* Plants all faults of the fleet file that concern this host and this process. `get`
 * reads an environment variable. Returns false when memory ran out. */
bool plant_all(struct config *config, const char *(*get)(const char *name));

#endif
