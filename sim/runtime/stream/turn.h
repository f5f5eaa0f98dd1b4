/* turn.h - the task in which a piece of outside work runs (outside.h) */
#ifndef SIM_RUNTIME_STREAM_TURN_H
#define SIM_RUNTIME_STREAM_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

struct npu_sim_turn {
    struct stream *stream;
    uint16_t task;
    const bool *over; /* not NULL: read this abort flag; the stream may have ended */
};

#endif
