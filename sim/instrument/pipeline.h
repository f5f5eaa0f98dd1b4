/* pipeline.h - when the instructions of one core begin and end
 *
 * Instructions are issued in the order of the program, one a cycle; each pipe does its
 * own in order. A scalar instruction holds the issue up; a flag that one pipe sets
 * holds up the pipe that waits for it. Times are cycles from the start of the body. */
#ifndef SIM_INSTRUMENT_PIPELINE_H
#define SIM_INSTRUMENT_PIPELINE_H

#include <npu_sim/recorder.h>
#include <stdint.h>

#define PIPELINE_EVENTS 8 /* flags of each pair of pipes */

struct pipeline {
    uint64_t issue;
    uint64_t free[NPU_SIM_PIPES];
    uint64_t flag[NPU_SIM_PIPES][NPU_SIM_PIPES][PIPELINE_EVENTS];
};

struct pipeline_time {
    uint64_t start, end;
};

void pipeline_init(struct pipeline *pipeline, uint64_t at);
struct pipeline_time
pipeline_run(struct pipeline *pipeline, enum npu_sim_pipe pipe, uint64_t cycles);
struct pipeline_time pipeline_flag(struct pipeline *pipeline,
                                   int is_wait,
                                   enum npu_sim_pipe from,
                                   enum npu_sim_pipe to,
                                   uint32_t event);
/* Nothing is issued before all pipes are done. */
struct pipeline_time pipeline_barrier(struct pipeline *pipeline);
/* When all that was issued is done. */
uint64_t pipeline_end(const struct pipeline *pipeline);

#endif
