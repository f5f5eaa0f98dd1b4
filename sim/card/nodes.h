/* nodes.h - the device nodes that say which cards a process may use
 *
 * NPU_SIM_DEV_DIR stands for /dev: a directory with davinci<N>, N a physical number,
 * and the three nodes of the driver itself. Cards whose node is missing or cannot be
 * opened are not there, and the others move up, as in a container. */
#ifndef SIM_CARD_NODES_H
#define SIM_CARD_NODES_H

#include <stdbool.h>
#include <stdint.h>

/* Those that every process needs; ends with NULL. */
extern const char *const nodes_of_driver[];

bool nodes_can_open(const char *directory, const char *name);
bool nodes_has_card(const char *directory, uint32_t physical);

#endif
