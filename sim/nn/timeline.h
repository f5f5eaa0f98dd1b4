/* timeline.h - when the halves of a fused operator do what, in a card's ticks
 *
 * The cores compute a tile while the one before is on its way. What is computed first
 * and then moved has its first transfer after the first tile; what is moved first has
 * its last tile after the last transfer. */
#ifndef SIM_NN_TIMELINE_H
#define SIM_NN_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/nn/mc2.h"

struct timeline {
    uint64_t start, end; /* of the server's task */
    uint64_t cores_end;  /* with all waits */
    uint32_t turns;
    struct timeline_turn {
        uint64_t waits, ready;  /* the server, for the cores; when the tile is there */
        uint64_t computed_from; /* of the tile */
        uint64_t moves, moved;  /* the transfer */
    } turn[MC2_TURNS_MAX];
};

/* The cores compute from `from` to `to`; each turn's transfer takes so many ticks. */
void timeline_make(struct timeline *timeline,
                   uint64_t from,
                   uint64_t to,
                   const uint64_t *transfer,
                   uint32_t turns,
                   bool moves_first);

#endif
