#include "sim/runtime/launch/bodies.h"

#include <stdlib.h>
#include <string.h>

#include "sim/instrument/stamp_list.h"
#include "sim/instrument/trace.h"
#include "sim/runtime/launch/code.h"
#include "sim/runtime/launch/function.h"
#include "sim/runtime/launch/stamps.h"
#include "sim/runtime/stream/stream.h"

#define STAMP_WAITED 0x1021 /* the end of a wait, with the vendor's number */

static enum npu_sim_kind kind_of(const struct function *function)
{
    return function->info ? function->info->kind : NPU_SIM_VECTOR;
}

/* Returns the buffer of an instrumented kernel: the address in the file, else the last
 * argument, which the body does not receive. */
static bool take_buffer(struct bodies *bodies, struct trace_launch *launch)
{
    if (launch->flags == 0)
        return true;
    if (launch->buffer)
        return npu_sim_trace_fits(launch);
    if (bodies->args_size < sizeof(launch->buffer))
        return false;
    bodies->args_size -= sizeof(launch->buffer);
    memcpy(&launch->buffer, (const char *)bodies->args + bodies->args_size,
           sizeof(launch->buffer));
    return npu_sim_trace_fits(launch);
}

aclError bodies_open(struct bodies *bodies,
                     const struct function *function,
                     uint32_t card,
                     uint32_t blocks,
                     void *args,
                     size_t args_size)
{
    const struct code *code = function->code;
    struct trace_launch launch = {
        .card = card,
        .code_base = code->base,
        .code_bytes = code->bytes,
        .entry = (uint64_t)(uintptr_t)function->body - code->base,
        .kind = kind_of(function),
        .blocks = code->blocks,
        .flags = code->how.flags,
        .cores = code->how.cores,
        .core_stride = code->how.core_stride,
        .buffer = (void *)(uintptr_t)code->how.buffer,
        .reports_stamps = stamps_are_wanted(),
    };

    *bodies = (struct bodies){
        .function = function,
        .card = card,
        .blocks = blocks,
        .args = args,
        .args_size = args_size,
    };
    if (!take_buffer(bodies, &launch))
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    if (!code->has_recorder ||
        (!launch.flags && !launch.reports_stamps && !npu_sim_trace_has_logs() &&
         !npu_sim_trace_has_profile(card)))
        return 0;
    bodies->spans = calloc((size_t)blocks * 3, sizeof(*bodies->spans));
    bodies->trace = bodies->spans ? npu_sim_trace_open(&launch) : NULL;
    if (bodies->trace)
        return 0;
    bodies_close(bodies);
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
}

static void enter(struct bodies *bodies, uint32_t block, int sub)
{
    struct trace_body body = {
        .block = block,
        .sub = sub,
        .threads = bodies->threads.grid.x > 0,
        .is_vector = sub >= 0 || kind_of(bodies->function) == NPU_SIM_VECTOR,
    };

    if (!bodies->trace)
        return;
    body.span = bodies->spans[block * 3 + (uint32_t)(sub + 1)];
    npu_sim_trace_enter(bodies->trace, &body);
}

static void leave(struct bodies *bodies)
{
    if (bodies->trace)
        npu_sim_trace_leave(bodies->trace);
}

static struct npu_sim_dim place_of(uint32_t n, struct npu_sim_dim of)
{
    return (struct npu_sim_dim){n % of.x, n / of.x % of.y, n / of.x / of.y};
}

static void run_threads(struct bodies *bodies, uint32_t block)
{
    const struct npu_sim_dim *shape = &bodies->threads.block;
    uint32_t count = shape->x * shape->y * shape->z;
    struct npu_sim_thread thread = {
        .grid = bodies->threads.grid,
        .block = *shape,
        .block_index = place_of(block, bodies->threads.grid),
    };

    for (uint32_t i = 0; i < count; i++) {
        thread.thread_index = place_of(i, *shape);
        bodies->function->simt->thread(&thread, bodies->args, bodies->args_size);
    }
}

static void run_body(struct bodies *bodies, uint32_t block)
{
    if (bodies->threads.grid.x > 0)
        run_threads(bodies, block);
    else
        bodies->function->body(block, bodies->blocks, bodies->args, bodies->args_size);
}

void bodies_run(struct bodies *bodies)
{
    const struct function *function = bodies->function;
    npu_sim_vector_fn *vector = NULL;

    if (kind_of(function) == NPU_SIM_MIX)
        vector = function->info->vector;
    for (uint32_t block = 0; block < bodies->blocks; block++) {
        enter(bodies, block, -1);
        run_body(bodies, block);
        leave(bodies);
        for (uint32_t sub = 0; vector && sub < 2; sub++) {
            enter(bodies, block, (int)sub);
            vector(block, bodies->blocks, sub, bodies->args, bodies->args_size);
            leave(bodies);
        }
    }
}

void bodies_store_stamps(struct bodies *bodies,
                         struct stream *stream,
                         uint64_t move_ticks,
                         uint64_t wait_ticks)
{
    struct stamp_list stamps;

    if (!bodies->trace)
        return;
    npu_sim_trace_take_stamps(bodies->trace, &stamps);
    for (size_t i = 0; i < stamps.count; i++)
        stamps.rows[i].ticks += move_ticks;
    stamp_list_delay(&stamps, STAMP_WAITED, wait_ticks);
    stamps_keep(stream, &stamps, bodies->function->code->is_lccl);
}

void bodies_close(struct bodies *bodies)
{
    npu_sim_trace_close(bodies->trace);
    free(bodies->spans);
    bodies->trace = NULL;
    bodies->spans = NULL;
}
