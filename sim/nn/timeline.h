/* timeline.h - start and end of the steps of a fused operator, in ticks of the card
 *
 * The cores compute a tile while the previous one is transferred. An operator that
 * computes first starts its first transfer after the first tile. One that transfers
 * first computes its last tile after the last transfer. */
#ifndef SIM_NN_TIMELINE_H
#define SIM_NN_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/nn/mc2.h"

struct timeline {
    uint64_t start, end; /* of the server's task */
    uint64_t cores_end;  /* including all waits */
    uint32_t turns;
    struct timeline_turn {
        uint64_t waits,
            ready; /* start of the server's wait; time when the tile is ready */
        uint64_t computed_from; /* start of the tile's computation */
        uint64_t moves, moved;  /* start and end of the transfer */
    } turn[MC2_TURNS_MAX];
};

/* Fills the timeline. The cores compute from `from` to `to`; transfer[i]: ticks of turn
 * i. */
void timeline_make(struct timeline *timeline,
                   uint64_t from,
                   uint64_t to,
                   const uint64_t *transfer,
                   uint32_t turns,
                   bool moves_first);

#endif
