/* cost.h - modelled time of collectives on the links between cards
 *
 * A collective takes 5 us per round plus the transfer of its bytes over all links of
 * the fleet (card/links.h) at the same time. */
#ifndef SIM_HCCL_COST_H
#define SIM_HCCL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/group.h"

/* Properties of a collective that its announcements do not contain. */
struct cost_way {
    uint32_t rounds;
    bool is_spread; /* in a round each pair of ranks transfers 1/n of all bytes */
};

/* Returns the time of the current round of statements in ns; it is equal on all ranks.
 */
uint64_t
cost_of_exchange(struct group *group, const struct cost_way *way, uint64_t longest);
/* Returns the time in ns of messages with at least one other rank. `to` and `from`:
 * bytes to and from each rank. */
uint64_t
cost_of_messages(struct group *group, const uint64_t *to, const uint64_t *from);

#endif
