/* trace.h - listening to a kernel's bodies: who runs where, and what is written of it
 *
 * The runtime opens a trace for a launch that somebody wants to see, and says before
 * each body which core runs it. What the body tells (include/npu_sim/recorder.h) goes
 * to the launch's buffer. A trace belongs to the thread that opened it. */
#ifndef SIM_INSTRUMENT_TRACE_H
#define SIM_INSTRUMENT_TRACE_H

#include <npu_sim/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_table;
struct npu_sim_recorder;
struct trace;

struct trace_launch {
    uint32_t card;
    uint64_t code_base; /* where the kernel file lies in this process */
    enum npu_sim_kind kind;
    const struct block_table *blocks; /* NULL: without block counts */
    uint32_t flags;                   /* NPU_SIM_INSTRUMENT_... */
    void *buffer;
    uint32_t cores;
    uint64_t core_stride;
};

struct trace_body {
    uint32_t block;
    uint32_t core; /* physical, of its kind */
    bool is_vector;
};

const struct npu_sim_recorder *npu_sim_trace_recorder(void);
/* False: the buffer is no memory of the card, or has no room for what is asked. */
bool npu_sim_trace_fits(const struct trace_launch *launch);
struct trace *
npu_sim_trace_open(const struct trace_launch *launch); /* NULL: no memory */
void npu_sim_trace_enter(struct trace *trace, const struct trace_body *body);
void npu_sim_trace_close(struct trace *trace);

#endif
