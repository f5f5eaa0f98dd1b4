/* exchange.h - operations that all ranks of a communicator take part in
 *
 * A rank has a stream of bytes for each rank, or one for all, and takes one from each.
 * They move through the group's windows piece by piece, all ranks in step. */
#ifndef SIM_HCCL_EXCHANGE_H
#define SIM_HCCL_EXCHANGE_H

#include "sim/hccl/cost.h"
#include "sim/hccl/operation.h"

#define EXCHANGE_COUNT_MAX 0x7FFFFFFFFull /* elements */

struct part {
    uint64_t offset, bytes;
};

struct exchange {
    struct operation operation;
    struct announcement said;
    uint32_t ranks;
    bool same_for_all; /* only send[0] is used */
    bool is_idle;      /* takes nothing from anybody, whatever they have */
    bool reduces;      /* what is taken becomes one, at receive[0] */
    bool is_shared;    /* ... on all ranks the same: each reduces a slice for all */
    struct cost_way way;
    const char *from;
    char *into;
    struct part *send, *receive; /* one for each rank, in the same piece of the heap */
};

/* How far the parts go from where the first one may begin. */
uint64_t exchange_reach(const struct part *parts, uint32_t count);
struct exchange *exchange_create(uint32_t ranks); /* all zero; NULL: no memory */

#endif
