#include "sim/instrument/pipeline.h"

#include <string.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void pipeline_init(struct pipeline *pipeline, uint64_t at)
{
    memset(pipeline, 0, sizeof(*pipeline));
    pipeline->issue = at;
    for (int i = 0; i < NPU_SIM_PIPES; i++)
        pipeline->free[i] = at;
}

struct pipeline_time
pipeline_run(struct pipeline *pipeline, enum npu_sim_pipe pipe, uint64_t cycles)
{
    struct pipeline_time time;

    time.start = later(pipeline->issue, pipeline->free[pipe]);
    time.end = time.start + (cycles ? cycles : 1);
    pipeline->free[pipe] = time.end;
    pipeline->issue = pipe == NPU_SIM_PIPE_SCALAR ? time.end : pipeline->issue + 1;
    return time;
}

struct pipeline_time pipeline_flag(struct pipeline *pipeline,
                                   int is_wait,
                                   enum npu_sim_pipe from,
                                   enum npu_sim_pipe to,
                                   uint32_t event)
{
    uint64_t *flag = &pipeline->flag[from][to][event % PIPELINE_EVENTS];
    struct pipeline_time time;

    if (!is_wait) {
        time = pipeline_run(pipeline, from, 1);
        *flag = time.end;
        return time;
    }
    time.start = later(pipeline->issue, pipeline->free[to]);
    time.end = later(time.start, *flag) + 1;
    pipeline->free[to] = time.end;
    pipeline->issue = to == NPU_SIM_PIPE_SCALAR ? time.end : pipeline->issue + 1;
    return time;
}

struct pipeline_time pipeline_barrier(struct pipeline *pipeline)
{
    struct pipeline_time time = {pipeline->issue, pipeline_end(pipeline) + 1};

    for (int i = 0; i < NPU_SIM_PIPES; i++)
        pipeline->free[i] = time.end;
    pipeline->issue = time.end;
    return time;
}

uint64_t pipeline_end(const struct pipeline *pipeline)
{
    uint64_t end = pipeline->issue;

    for (int i = 0; i < NPU_SIM_PIPES; i++)
        end = later(end, pipeline->free[i]);
    return end;
}
