/* cost.h - how long the cards would need between them
 *
 * A collective takes its rounds, 5 us each, and what its bytes take on the links of the
 * fleet (card/links.h), all at the same time. */
#ifndef SIM_HCCL_COST_H
#define SIM_HCCL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/group.h"

/* What the model knows of a collective besides what its ranks said. */
struct cost_way {
    uint32_t rounds;
    bool is_spread; /* each pair of ranks carries the n-th part of all in a round */
};

/* Of the round of statements that the group is in; the same on all ranks. */
uint64_t
cost_of_exchange(struct group *group, const struct cost_way *way, uint64_t longest);
/* Of messages with one other rank at least; bytes to each and from each rank. */
uint64_t
cost_of_messages(struct group *group, const uint64_t *to, const uint64_t *from);

#endif
