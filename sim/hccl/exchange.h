/* exchange.h - collective operations in which all ranks of a communicator take part
 *
 * A rank sends each rank its own stream of bytes, or all ranks the same stream, and
 * receives one stream from each. The data moves through the group's windows piece by
 * piece; all ranks advance in step. */
#ifndef SIM_HCCL_EXCHANGE_H
#define SIM_HCCL_EXCHANGE_H

#include "sim/hccl/operation.h"
#include "sim/hccl/times/cost.h"
#include "sim/hccl/times/plan.h"

#define EXCHANGE_COUNT_MAX 0x7FFFFFFFFull /* elements */

struct part {
    uint64_t offset, bytes;
};

struct exchange {
    struct operation operation;
    struct announcement announced;
    uint32_t ranks;
    bool same_for_all;             /* only send[0] is used */
    bool is_idle;                  /* receives nothing, whatever the other ranks send */
    struct npu_sim_stream *stream; /* moves parts of any length; NULL: addresses */
    bool reduces;                  /* received parts are reduced into receive[0] */
    bool is_shared; /* the result is equal on all ranks: each rank reduces a slice for
                       all */
    struct cost_way way;
    struct arrival arrival; /* of this rank; used with a plan */
    struct plan *plan; /* gets the times; NULL: the operation is complete by itself */
    const char *from;
    char *into;
    struct part *send, *receive; /* one per rank, in the allocation of the exchange */
};

/* Returns the number of bytes from the base address to the end of the last part. */
uint64_t exchange_reach(const struct part *parts, uint32_t count);
struct exchange *
exchange_create(uint32_t ranks); /* all zero; NULL when out of memory */

#endif
