/* roster.h - host, card and address of each rank, from a rank table or from the root */
#ifndef SIM_HCCL_RANKS_ROSTER_H
#define SIM_HCCL_RANKS_ROSTER_H

#include <stdint.h>

#include "sim/hccl/ranks/address.h"
#include "sim/hccl/ranks/handshake.h"
#include "sim/hccl/ranks/rank_memory.h"

struct roster {
    uint32_t ranks, hosts; /* hosts are numbered from 0 */
    struct roster_entry {
        uint32_t host, card;
        struct address address; /* address for connections from other hosts */
    } entries[RANKS_MAX];
    struct token token;
};

#endif
