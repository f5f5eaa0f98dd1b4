#include "sim/instrument/trace.h"

#include <inttypes.h>
#include <npu_sim/instrumented.h>
#include <npu_sim/recorder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"
#include "sim/instrument/block_table.h"
#include "sim/instrument/core_profile.h"
#include "sim/instrument/gm_buffer.h"
#include "sim/instrument/local_memory.h"
#include "sim/instrument/pipeline.h"
#include "sim/instrument/stamp_list.h"
#include "sim/instrument/text_log.h"
#include "sim/instrument/transfer.h"

#define FIRST_VECTOR 25  /* in a stamp, physical cores below this number are cubes */
#define LATENCY      260 /* cycles of a transfer to or from GM */
#define DETAIL_BYTES 160
#define GM_BASE      0x120000000000u /* base address of buffers in the logs */

struct trace {
    struct trace_launch launch;
    struct trace_body body;
    uint64_t transfers;           /* number of transfers of the launch so far */
    uint64_t first_tick;          /* of the launch */
    uint64_t first_cycle;         /* of the body */
    struct pipeline pipes;        /* of the body */
    struct text_log *log;         /* NULL: no logs */
    struct core_profile *profile; /* NULL: no channel of a core is open */
    struct stamp_list stamps;
};

static __thread struct trace *current;
static uint32_t listeners;

/* Returns the caller's address in the kernel file: inside the call, so that it maps to
 * the calling line. */
#define PC(trace)                                                                      \
    ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1 - (trace)->launch.code_base)

static const char *const pipe_names[NPU_SIM_PIPES] = {
    [NPU_SIM_PIPE_SCALAR] = "SCALAR", [NPU_SIM_PIPE_VECTOR] = "VEC",
    [NPU_SIM_PIPE_CUBE] = "CUBE",     [NPU_SIM_PIPE_MTE1] = "MTE1",
    [NPU_SIM_PIPE_MTE2] = "MTE2",     [NPU_SIM_PIPE_MTE3] = "MTE3",
    [NPU_SIM_PIPE_FIXP] = "FIXP",
};

/* Returns the index of the body's part. A 950 has one part per existing core, the two
 * vectors before their cube. Other chips have one per block of the launch. */
static uint32_t part_number(const struct trace *trace)
{
    const struct soc *soc = config_get()->card[trace->launch.card].soc;
    uint32_t core = trace->body.span.core;

    if (soc->chip != CHIP_A5)
        return trace->body.block;
    return trace->body.is_vector ? core / 2 * 3 + core % 2 : core * 3 + 2;
}

static uint8_t *part_of(const struct trace *trace)
{
    return (uint8_t *)trace->launch.buffer +
           part_number(trace) * trace->launch.core_stride;
}

static enum path path_of(const struct transfer_view *view)
{
    if (view->from == NPU_SIM_GM)
        return view->to == NPU_SIM_UB ? PATH_GM_TO_UB : PATH_GM_TO_L1;
    if (view->from == NPU_SIM_L0C)
        return view->to == NPU_SIM_GM ? PATH_L0C_TO_GM : PATH_L0C_TO_L1;
    if (view->from == NPU_SIM_L1)
        return view->to == NPU_SIM_L0B   ? PATH_TO_L0B
               : view->to == NPU_SIM_L0A ? PATH_TO_L0A
                                         : PATH_L1_TO_GM;
    return PATH_UB_TO_GM;
}

static uint64_t cycles_of(const struct trace *trace, const struct transfer_view *view)
{
    const struct card_config *card = &config_get()->card[trace->launch.card];
    double gibs = soc_speed(card->soc, card->hbm_maker)->path_gibs[path_of(view)];
    double per_cycle = gibs * 1073741824.0 / (card->mhz * 1e6);
    uint64_t latency = view->from == NPU_SIM_GM || view->to == NPU_SIM_GM ? LATENCY : 0;

    return latency +
           (per_cycle > 0 ? (uint64_t)((double)view->bytes / per_cycle + 0.5) : 1);
}

/* Returns an address that is equal in every process: from buffer and offset, as in the
 * model of the L2. */
static uint64_t stable_address(enum npu_sim_memory memory, uint64_t address)
{
    struct card_memory found;

    if (memory != NPU_SIM_GM ||
        !npu_sim_memory_find((const void *)(uintptr_t)address, &found))
        return address;
    return GM_BASE + (found.serial << 36) + (address - found.base);
}

static void log_transfer(struct trace *trace,
                         const struct transfer_type *kind,
                         const struct transfer_view *view,
                         uint64_t pc,
                         struct pipeline_time time)
{
    static const char *const memories[] = {"L1", "L0A", "L0B", "L0C",
                                           "UB", "BT",  "OUT"};
    char detail[DETAIL_BYTES];

    snprintf(detail, sizeof(detail),
             "%sSrc:%s, Dst:%s, XD:X1=0x%" PRIx64 ", XN:X2=0x%" PRIx64
             ", XM:X3=0x%" PRIx64 ",",
             strcmp(kind->name, "ND2NZ") == 0 ? "dtype:F32, " : "",
             memories[view->from], memories[view->to],
             stable_address(view->to, view->dst), stable_address(view->from, view->src),
             view->setting);
    text_log_instruction(trace->log, pc, pipe_names[view->pipe], kind->name, detail,
                         time);
    text_log_transfer(trace->log, view, time);
}

/* Adds an instruction to the profile of its core, in cycles from the first block. */
static void profile_instruction(struct trace *trace,
                                enum npu_sim_pipe pipe,
                                const char *name,
                                uint64_t pc,
                                struct pipeline_time time)
{
    if (trace->profile)
        core_profile_instruction(trace->profile, pipe, name, pc, time);
}

static void on_copy(uint32_t type, void *record)
{
    const struct transfer_type *kind = transfer_type_of(type);
    struct trace *trace = current;
    struct transfer_view view;
    struct pipeline_time time;

    if (!trace || !kind)
        return;
    transfer_complete(kind, record, PC(trace), trace->transfers++,
                      trace->body.span.core);
    if ((trace->launch.flags & NPU_SIM_INSTRUMENT_MEMORY) &&
        part_number(trace) < trace->launch.cores)
        gm_buffer_add(part_of(trace), trace->launch.core_stride, kind, record);
    transfer_look(kind, record, &view);
    time = pipeline_run(&trace->pipes, view.pipe, cycles_of(trace, &view));
    profile_instruction(trace, view.pipe, kind->name, PC(trace), time);
    if (trace->log)
        log_transfer(trace, kind, &view, PC(trace), time);
}

static void count_block(struct trace *trace, uint64_t address)
{
    const struct block_table *blocks = trace->launch.blocks;
    size_t number = block_table_find(blocks, address);
    uint8_t *at = (uint8_t *)trace->launch.buffer + number * sizeof(uint32_t);
    uint32_t count;

    if (number == blocks->count)
        return;
    memcpy(&count, at, sizeof(count));
    count += count != UINT32_MAX;
    memcpy(at, &count, sizeof(count));
}

static void on_block(const void *caller)
{
    struct trace *trace = current;
    struct pipeline_time time;
    uint64_t address;

    if (!trace)
        return;
    address = (uint64_t)(uintptr_t)caller - trace->launch.code_base;
    if (address - 1 >= trace->launch.code_bytes)
        return; /* a block that only jumps to the callback, whose return address is that
                   of its caller */
    if (trace->launch.flags & NPU_SIM_INSTRUMENT_BLOCKS)
        count_block(trace, address);
    time = pipeline_run(&trace->pipes, NPU_SIM_PIPE_SCALAR, 1);
    profile_instruction(trace, NPU_SIM_PIPE_SCALAR, "JUMP", address - 1, time);
    if (trace->log)
        text_log_instruction(trace->log, address - 1, "FLOWCTRL", "JUMP", "", time);
}

static void on_work(enum npu_sim_pipe pipe, const char *name, uint64_t cycles)
{
    struct trace *trace = current;
    struct pipeline_time time;

    if (!trace || (unsigned)pipe >= NPU_SIM_PIPES)
        return;
    time = pipeline_run(&trace->pipes, pipe, cycles);
    profile_instruction(trace, pipe, name, PC(trace), time);
    if (trace->log)
        text_log_instruction(trace->log, PC(trace), pipe_names[pipe], name, "", time);
}

static void
on_flag(int is_wait, enum npu_sim_pipe from, enum npu_sim_pipe to, uint32_t event)
{
    struct trace *trace = current;
    struct pipeline_time time;
    char detail[DETAIL_BYTES];

    if (!trace || (unsigned)from >= NPU_SIM_PIPES || (unsigned)to >= NPU_SIM_PIPES)
        return;
    time = pipeline_flag(&trace->pipes, is_wait, from, to, event);
    if (!trace->log)
        return;
    snprintf(detail, sizeof(detail), "PIPE:%s, TRIGGER PIPE:%s, FLAG ID:%u,",
             pipe_names[from], pipe_names[to], event);
    text_log_instruction(trace->log, PC(trace), pipe_names[is_wait ? to : from],
                         is_wait ? "WAIT_FLAG" : "SET_FLAG", detail, time);
}

/* Records a mark: a change of a special register, then an empty instruction on each
 * pipe that moves or computes, which shows the position of that pipe. */
static void on_mark(uint32_t number, int is_end)
{
    static const enum npu_sim_pipe pipes[] = {NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE2,
                                              NPU_SIM_PIPE_MTE3};
    struct trace *trace = current;
    struct pipeline_time time, times[sizeof(pipes) / sizeof(pipes[0])];
    char detail[DETAIL_BYTES];

    if (!trace || number > 9)
        return;
    time = pipeline_run(&trace->pipes, NPU_SIM_PIPE_SCALAR, 1);
    profile_instruction(trace, NPU_SIM_PIPE_SCALAR, "MOV_SPR_XN", PC(trace), time);
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        times[i] = pipeline_run(&trace->pipes, pipes[i], 1);
        if (trace->profile)
            core_profile_mark(trace->profile, pipes[i], number, is_end, times[i].start);
    }
    if (!trace->log)
        return;
    snprintf(detail, sizeof(detail), "SPR:LPCNT, XN:X6=0x%x,",
             (is_end ? 0xc0000000u : 0x80000000u) | number);
    text_log_instruction(trace->log, PC(trace), "SCALAR", "MOV_SPR_XN", detail, time);
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        text_log_instruction(trace->log, PC(trace), pipe_names[pipes[i]], "NOP_PIPE",
                             "", times[i]);
    }
}

static void on_stamp(uint32_t descriptor)
{
    struct trace *trace = current;
    struct pipeline_time time;
    uint32_t core, logical;
    struct stamp stamp;

    if (!trace)
        return;
    core = trace->body.span.core + (trace->body.is_vector ? FIRST_VECTOR : 0);
    logical = trace->body.block;
    if (trace->body.sub >= 0) /* the vectors of a mix number their blocks separately */
        logical = logical * 2 + (uint32_t)trace->body.sub;
    time = pipeline_run(&trace->pipes, NPU_SIM_PIPE_SCALAR, 1);
    if (!trace->launch.reports_stamps)
        return;
    stamp.ticks = time.start - trace->first_cycle;
    stamp.pc = PC(trace);
    stamp.descriptor = descriptor;
    stamp.block = (core << 16) | (logical & 0xFFFF);
    stamp_list_add(&trace->stamps, &stamp);
}

static void on_barrier(void)
{
    struct trace *trace = current;
    struct pipeline_time time;

    if (!trace)
        return;
    time = pipeline_barrier(&trace->pipes);
    if (trace->log)
        text_log_instruction(trace->log, PC(trace), "ALL", "BAR", "PIPE:ALL,", time);
}

const struct npu_sim_recorder *npu_sim_trace_recorder(void)
{
    static const struct npu_sim_recorder recorder = {
        .size = sizeof(recorder),
        .listeners = &listeners,
        .local = local_memory,
        .copy = on_copy,
        .block = on_block,
        .work = on_work,
        .flag = on_flag,
        .barrier = on_barrier,
        .mark = on_mark,
        .stamp = on_stamp,
    };

    return &recorder;
}

bool npu_sim_trace_has_logs(void)
{
    return text_log_folder() != NULL;
}

bool npu_sim_trace_has_profile(uint32_t card)
{
    return core_profile_mode(card) != PROFILE_NONE;
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
    if (npu_sim_trace_has_logs())
        trace->log = text_log_create(launch->code_base);
    if (core_profile_mode(launch->card) != PROFILE_NONE ||
        launch->flags & NPU_SIM_INSTRUMENT_MARKS)
        trace->profile = core_profile_create(
            launch->card, (launch->flags & NPU_SIM_INSTRUMENT_MARKS) != 0);
    __atomic_fetch_add(&listeners, 1, __ATOMIC_RELAXED);
    return trace;
}

/* Returns the start of a body's log: the modelled time in cycles of the core. */
static uint64_t cycle_of(const struct trace *trace, uint64_t tick)
{
    const struct card_config *card = &config_get()->card[trace->launch.card];

    return (tick - trace->first_tick) * card->mhz * 1000 / card->soc->ticks_khz;
}

/* Records the register reads by which the code of a core finds its block. */
static void log_block_ids(struct trace *trace)
{
    char detail[DETAIL_BYTES];
    struct pipeline_time time = pipeline_run(&trace->pipes, NPU_SIM_PIPE_SCALAR, 1);

    snprintf(detail, sizeof(detail), "XD:X4=0x%x,SPR:BLOCKID,", trace->body.block);
    text_log_instruction(trace->log, trace->launch.entry, "SCALAR", "MOV_XD_SPR",
                         detail, time);
    time = pipeline_run(&trace->pipes, NPU_SIM_PIPE_SCALAR, 1);
    snprintf(detail, sizeof(detail), "XD:X5=0x%x,SPR:SUBBLOCKID,",
             trace->body.sub > 0 ? 1 : 0);
    text_log_instruction(trace->log, trace->launch.entry + 1, "SCALAR", "MOV_XD_SPR",
                         detail, time);
}

void npu_sim_trace_enter(struct trace *trace, const struct trace_body *body)
{
    trace->body = *body;
    if (trace->first_tick == 0)
        trace->first_tick = body->span.start;
    trace->first_cycle = cycle_of(trace, body->span.start);
    pipeline_init(&trace->pipes, trace->first_cycle);
    current = trace;
    if (trace->profile)
        core_profile_enter(trace->profile, body->span.core, body->is_vector,
                           body->threads);
    if (trace->log)
        log_block_ids(trace);
}

static void write_log(struct trace *trace)
{
    const struct soc *soc = config_get()->card[trace->launch.card].soc;
    uint32_t core = trace->body.span.core;
    char part[32] = "";

    if (soc_is_split(soc) && trace->body.is_vector) {
        snprintf(part, sizeof(part), "veccore%u", core % soc->vectors);
        core /= soc->vectors;
    } else if (soc_is_split(soc)) {
        snprintf(part, sizeof(part), "cubecore0");
    }
    text_log_write(trace->log, core, part);
}

void npu_sim_trace_leave(struct trace *trace)
{
    uint64_t cycles = pipeline_end(&trace->pipes) - trace->first_cycle;

    current = NULL;
    stamp_list_end_body(&trace->stamps, cycles, trace->body.span.start,
                        trace->body.span.end);
    if (trace->log)
        write_log(trace);
}

void npu_sim_trace_take_stamps(struct trace *trace, struct stamp_list *out)
{
    *out = trace->stamps;
    memset(&trace->stamps, 0, sizeof(trace->stamps));
}

static void end_profile(struct trace *trace)
{
    const struct trace_launch *launch = &trace->launch;
    struct card_memory memory;

    if (!trace->profile)
        return;
    core_profile_send(trace->profile);
    if ((launch->flags & NPU_SIM_INSTRUMENT_MARKS) &&
        npu_sim_memory_find(launch->buffer, &memory))
        core_profile_write_map(trace->profile, launch->buffer,
                               memory.bytes -
                                   ((uintptr_t)launch->buffer - memory.base));
    core_profile_destroy(trace->profile);
}

void npu_sim_trace_close(struct trace *trace)
{
    if (!trace)
        return;
    end_profile(trace);
    __atomic_fetch_sub(&listeners, 1, __ATOMIC_RELAXED);
    text_log_destroy(trace->log);
    stamp_list_clear(&trace->stamps);
    free(trace);
}
