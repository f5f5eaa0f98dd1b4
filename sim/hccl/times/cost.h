/* cost.h - modelled times of transfers on the links between cards
 *
 * A transfer takes 5 us for the notifies of both ranks, plus the time of its bytes on
 * its link (card/links.h) while all transfers of the same stage run. */
#ifndef SIM_HCCL_TIMES_COST_H
#define SIM_HCCL_TIMES_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/group.h"

/* Properties of a collective that its announcements do not contain. */
struct cost_way {
    uint32_t rounds; /* stages of schedule.h */
    bool is_spread;  /* in a round each pair of ranks transfers 1/n of all bytes */
};

/* Returns the time in ns of one stage of the current statements, for each sender and,
 * within it, each receiver; SCHEDULE_NOTHING where they exchange nothing. All ranks get
 * the same times. The table is valid until the next call; NULL: out of memory. */
const uint64_t *
cost_of_stage(struct group *group, const struct cost_way *way, uint64_t longest);
/* Returns the bytes of one stage from one rank to another. */
uint64_t cost_bytes(struct group *group,
                    const struct cost_way *way,
                    uint64_t longest,
                    uint32_t from,
                    uint32_t to);
/* Sets the times in ns of messages with other ranks. `to` and `from`: bytes to and from
 * each rank; to_ns and from_ns get the times. */
void cost_of_messages(struct group *group,
                      const uint64_t *to,
                      const uint64_t *from,
                      uint64_t *to_ns,
                      uint64_t *from_ns);

#endif
