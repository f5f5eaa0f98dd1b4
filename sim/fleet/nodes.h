/* nodes.h - the device nodes that determine which cards a process may use
 *
 * NPU_SIM_DEV_DIR names a directory that replaces /dev. It has a node davinci<N> per
 * card, N being the physical number, and the three nodes of the driver. A card with a
 * missing or unreadable node does not exist for the process; the logical numbers of the
 * other cards move up, as in a container. */
#ifndef SIM_FLEET_NODES_H
#define SIM_FLEET_NODES_H

#include <stdbool.h>
#include <stdint.h>

/* Names of the nodes that every process needs; ends with NULL. */
extern const char *const nodes_of_driver[];

bool nodes_can_open(const char *directory, const char *name);
bool nodes_has_card(const char *directory, uint32_t physical);

#endif
