/* turn.h - what a piece of outside work knows of the task that it is */
#ifndef SIM_RUNTIME_TURN_H
#define SIM_RUNTIME_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

struct npu_sim_turn {
    struct stream *stream;
    uint16_t task;
    const bool *over; /* instead of asking the stream, which may be gone by then */
};

#endif
