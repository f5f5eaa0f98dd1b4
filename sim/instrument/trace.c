#include "sim/instrument/trace.h"

#include <npu_sim/instrumented.h>
#include <npu_sim/recorder.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/instrument/block_table.h"
#include "sim/instrument/gm_buffer.h"
#include "sim/instrument/local_memory.h"
#include "sim/instrument/transfer.h"

struct trace {
    struct trace_launch launch;
    struct trace_body body;
    uint64_t transfers; /* of the launch so far: their numbers */
};

static __thread struct trace *current;
static uint32_t listeners;

static uint8_t *part_of(const struct trace *trace)
{
    return (uint8_t *)trace->launch.buffer +
           trace->body.block * trace->launch.core_stride;
}

static void on_copy(uint32_t type, void *record)
{
    const struct transfer_type *kind = transfer_type_of(type);
    struct trace *trace = current;
    uint64_t pc;

    if (!trace || !kind)
        return;
    /* inside the call, so that it belongs to the line that called */
    pc = (uint64_t)(uintptr_t)__builtin_return_address(0) - 1 - trace->launch.code_base;
    transfer_complete(kind, record, pc, trace->transfers++, trace->body.core);
    if ((trace->launch.flags & NPU_SIM_INSTRUMENT_MEMORY) &&
        trace->body.block < trace->launch.cores)
        gm_buffer_add(part_of(trace), trace->launch.core_stride, kind, record);
}

static void on_block(const void *caller)
{
    struct trace *trace = current;
    uint32_t count;
    size_t number;

    if (!trace || !(trace->launch.flags & NPU_SIM_INSTRUMENT_BLOCKS))
        return;
    number = block_table_find(trace->launch.blocks,
                              (uint64_t)(uintptr_t)caller - trace->launch.code_base);
    if (number == trace->launch.blocks->count)
        return; /* a block that only jumps to the callback has its caller's address */
    memcpy(&count, (uint8_t *)trace->launch.buffer + number * sizeof(count),
           sizeof(count));
    count += count != UINT32_MAX;
    memcpy((uint8_t *)trace->launch.buffer + number * sizeof(count), &count,
           sizeof(count));
}

const struct npu_sim_recorder *npu_sim_trace_recorder(void)
{
    static const struct npu_sim_recorder recorder = {
        .size = sizeof(recorder),
        .listeners = &listeners,
        .local = local_memory,
        .copy = on_copy,
        .block = on_block,
    };

    return &recorder;
}

bool npu_sim_trace_fits(const struct trace_launch *launch)
{
    struct card_memory memory;
    uint64_t room;

    if (!npu_sim_memory_find(launch->buffer, &memory) || memory.card != launch->card)
        return false;
    room = memory.bytes - ((uintptr_t)launch->buffer - memory.base);
    if ((launch->flags & NPU_SIM_INSTRUMENT_MEMORY) &&
        (launch->core_stride < GM_BUFFER_MINIMUM ||
         launch->cores > room / launch->core_stride))
        return false;
    if (launch->flags & NPU_SIM_INSTRUMENT_BLOCKS)
        return launch->blocks && launch->blocks->count <= room / sizeof(uint32_t);
    return true;
}

struct trace *npu_sim_trace_open(const struct trace_launch *launch)
{
    struct trace *trace = calloc(1, sizeof(*trace));

    if (!trace)
        return NULL;
    trace->launch = *launch;
    __atomic_fetch_add(&listeners, 1, __ATOMIC_RELAXED);
    current = trace;
    return trace;
}

void npu_sim_trace_enter(struct trace *trace, const struct trace_body *body)
{
    trace->body = *body;
}

void npu_sim_trace_close(struct trace *trace)
{
    if (!trace)
        return;
    current = NULL;
    __atomic_fetch_sub(&listeners, 1, __ATOMIC_RELAXED);
    free(trace);
}
