/* roster.h - which rank is where: by a rank table, or as they told the root */
#ifndef SIM_HCCL_ROSTER_H
#define SIM_HCCL_ROSTER_H

#include <stdint.h>

#include "sim/hccl/address.h"
#include "sim/hccl/greeting.h"
#include "sim/hccl/seats.h"

struct roster {
    uint32_t ranks, hosts; /* hosts are numbered from 0 on */
    struct roster_entry {
        uint32_t host, card;
        struct address address; /* where other hosts call it */
    } entries[SEATS_MAX];
    struct token token;
};

#endif
