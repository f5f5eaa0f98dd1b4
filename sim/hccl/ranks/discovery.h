/* discovery.h - finds the ranks of a communicator on one host and shares memory with
 * them
 *
 * All ranks use the same name. The first one binds it as an abstract socket, which
 * disappears with its process. When all ranks have connected, this rank creates the
 * group's memory and sends its descriptor to each. If it dies before, another rank
 * takes over. */
#ifndef SIM_HCCL_RANKS_DISCOVERY_H
#define SIM_HCCL_RANKS_DISCOVERY_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/ranks/roster.h"

struct discovery {
    const char *name;
    const struct roster *roster; /* host and address of each rank */
    uint32_t rank;
    uint32_t card;
    uint64_t deadline_ms;
    uint64_t buffer_bytes; /* the same for all */
};

/* Sets *fd to the descriptor of the group's memory; the caller closes it. */
HcclResult discovery_join(const struct discovery *discovery, int *fd);

#endif
