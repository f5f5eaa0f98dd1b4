/* window.h - the HCCL buffers of a communicator's ranks, mapped once per process
 *
 * Ranks that are threads of one process share the mapping, so an address is valid in
 * all of them, as on a card. */
#ifndef SIM_HCCL_WINDOW_H
#define SIM_HCCL_WINDOW_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/group.h"

struct window;

/* `number` distinguishes the communicators of a card. */
HcclResult window_open(struct window **out, const struct group *group, uint32_t number);
void window_close(struct window *window); /* NULL is allowed */
/* Returns NULL when the rank is on another host. */
char *window_of(const struct window *window, uint32_t rank);

#endif
