#include "sim/nn/timeline.h"

#define BEFORE 100 /* ticks; the server starts before the cores */
#define AFTER  50  /* ticks; the server ends after the last transfer, like the cores */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void timeline_make(struct timeline *timeline,
                   uint64_t from,
                   uint64_t to,
                   const uint64_t *transfer,
                   uint32_t turns,
                   bool moves_first)
{
    uint64_t computes = to - from, free = from, cores = from;

    *timeline =
        (struct timeline){.start = from > BEFORE ? from - BEFORE : 0, .turns = turns};
    for (uint32_t i = 0; i < turns; i++) {
        struct timeline_turn *turn = &timeline->turn[i];
        uint64_t share = computes * (i + 1) / turns - computes * i / turns;

        turn->waits = i == 0 ? timeline->start : free;
        turn->ready = moves_first ? from : from + computes * (i + 1) / turns;
        turn->moves = later(turn->ready, free);
        turn->moved = free = turn->moves + transfer[i];
        turn->computed_from =
            moves_first ? later(cores, turn->moved) : turn->ready - share;
        cores =
            moves_first ? turn->computed_from + share : later(to, turn->moved + AFTER);
    }
    timeline->cores_end = cores;
    timeline->end = free + AFTER;
}
