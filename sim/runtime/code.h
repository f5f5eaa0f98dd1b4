/* code.h - a kernel file's code: where it lies, and how it was instrumented */
#ifndef SIM_RUNTIME_CODE_H
#define SIM_RUNTIME_CODE_H

#include <acl/acl.h>
#include <npu_sim/instrumented.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/instrument/trace.h"

struct block_table;

struct code {
    uint64_t base;                   /* of the file in this process */
    struct npu_sim_instrumented how; /* flags 0: not instrumented */
    struct block_table *blocks;      /* where they are counted */
};

/* Tells the file who listens to its bodies, and reads what stands at its end. */
void code_open(struct code *code, void *object, const char *path);
void code_close(struct code *code);
/* Bytes of the arguments that the body must not see. */
size_t code_hidden_args(const struct code *code);
/* A trace of a launch, or NULL with *error where the buffer is none. */
struct trace *code_trace(const struct code *code,
                         uint32_t card,
                         enum npu_sim_kind kind,
                         const void *args,
                         size_t args_size,
                         aclError *error);

#endif
