/* cost.h - how long the cards would need between them
 *
 * Every two cards of a host have a link of their own, 28 GB/s each way (A2: eight
 * cards, seven links each). A collective takes its rounds, 5 us each, and what goes
 * over its busiest link. */
#ifndef SIM_HCCL_COST_H
#define SIM_HCCL_COST_H

#include <stdint.h>

#define COST_LINK_GBS 28 /* 10^9 bytes a second */
#define COST_ROUND_NS 5000

static inline uint64_t cost_ns(uint32_t rounds, uint64_t link_bytes)
{
    return rounds * (uint64_t)COST_ROUND_NS + link_bytes / COST_LINK_GBS;
}

#endif
