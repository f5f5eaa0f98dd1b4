/* trace.h - listening to a kernel's bodies: who runs where, and what is written of it
 *
 * The runtime opens a trace for a launch that somebody wants to see, and says before
 * each body which core runs it, and when by the model. What the body tells
 * (include/npu_sim/recorder.h) goes where it is asked for: into the launch's buffer,
 * into the logs, or into the list of stamps. A trace belongs to the thread that opened
 * it. */
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
    uint64_t code_base; /* where the kernel file lies in this process */
    uint64_t code_bytes;
    uint64_t entry; /* of the kernel, in its file */
    enum npu_sim_kind kind;
    const struct block_table *blocks; /* NULL: without block counts */
    uint32_t flags;                   /* NPU_SIM_INSTRUMENT_... */
    void *buffer;
    uint32_t cores;
    uint64_t core_stride;
    bool wants_stamps;
};

struct trace_body {
    uint32_t block;
    int sub; /* -1: the only one of its block, or the cube of a mix; else a vector */
    bool is_vector;
    struct card_span span;
};

const struct npu_sim_recorder *npu_sim_trace_recorder(void);
/* Somebody wants the logs of all launches. */
bool npu_sim_trace_wants_logs(void);
/* False: the buffer is no memory of the card, or has no room for what is asked. */
bool npu_sim_trace_fits(const struct trace_launch *launch);
struct trace *
npu_sim_trace_open(const struct trace_launch *launch); /* NULL: no memory */
void npu_sim_trace_enter(struct trace *trace, const struct trace_body *body);
void npu_sim_trace_leave(struct trace *trace);
/* The stamps of all bodies so far are the caller's now. */
void npu_sim_trace_take_stamps(struct trace *trace, struct stamp_list *out);
void npu_sim_trace_close(struct trace *trace);

#endif
