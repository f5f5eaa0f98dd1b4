/* pipeline.h - start and end times of the instructions of one core
 *
 * Instructions are issued in program order, one per cycle. Each pipe executes its own
 * in order. A scalar instruction delays later issues; a flag from one pipe delays the
 * pipe that waits for it. Times are cycles from the start of the body. */
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
/* Delays later issues until all pipes are done. */
struct pipeline_time pipeline_barrier(struct pipeline *pipeline);
/* Returns the time when all issued instructions are done. */
uint64_t pipeline_end(const struct pipeline *pipeline);

#endif
