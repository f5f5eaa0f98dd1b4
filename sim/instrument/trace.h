/* trace.h - records the events of a kernel's bodies
 *
 * The runtime opens a trace for a launch with an instrumented kernel, logs or stamps.
 * Before each body it sets the core and the modelled time. The events of the body
 * (include/npu_sim/recorder.h) are written to the launch's buffer, to the logs, or to
 * the list of stamps. A trace belongs to the thread that opened it. */
#ifndef SIM_INSTRUMENT_TRACE_H
#define SIM_INSTRUMENT_TRACE_H

#include <npu_sim/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/card/card.h"

struct block_table;
struct npu_sim_recorder;
struct stamp_list;
struct trace;

struct trace_launch {
    uint32_t card;
    uint64_t code_base; /* address of the kernel file in this process */
    uint64_t code_bytes;
    uint64_t entry; /* offset of the kernel in its file */
    enum npu_sim_kind kind;
    const struct block_table *blocks; /* NULL: without block counts */
    uint32_t flags;                   /* NPU_SIM_INSTRUMENT_... */
    void *buffer;
    uint32_t cores;
    uint64_t core_stride;
    bool reports_stamps;
};

struct trace_body {
    uint32_t block;
    int sub; /* -1: the only body of its block, or the cube of a mix; else index of the
                vector */
    bool is_vector;
    bool threads; /* the body is one of a launch of threads */
    struct card_span span;
};

const struct npu_sim_recorder *npu_sim_trace_recorder(void);
/* Returns true when CAMODEL_LOG_PATH requests logs of all launches. */
bool npu_sim_trace_has_logs(void);
/* Returns true when a profiler reads the channels of the card's cores. */
bool npu_sim_trace_has_profile(uint32_t card);
/* Returns false when the buffer is not memory of the card, or too small. */
bool npu_sim_trace_fits(const struct trace_launch *launch);
struct trace *
npu_sim_trace_open(const struct trace_launch *launch); /* NULL: no memory */
void npu_sim_trace_enter(struct trace *trace, const struct trace_body *body);
void npu_sim_trace_leave(struct trace *trace);
/* Moves the stamps of all bodies so far to the caller. */
void npu_sim_trace_take_stamps(struct trace *trace, struct stamp_list *out);
void npu_sim_trace_close(struct trace *trace);

#endif
