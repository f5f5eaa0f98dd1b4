/* code.h - a kernel file's code: where it lies, and how it was instrumented */
#ifndef SIM_RUNTIME_CODE_H
#define SIM_RUNTIME_CODE_H

#include <npu_sim/instrumented.h>
#include <stdbool.h>
#include <stdint.h>

struct block_table;

struct code {
    uint64_t base;                   /* of the file in this process */
    uint64_t bytes;                  /* that it takes there */
    struct npu_sim_instrumented how; /* flags 0: not instrumented */
    struct block_table *blocks;      /* where they are counted */
    bool tells;                      /* its bodies can be listened to */
    bool is_lccl;                    /* of an operator with lightweight collectives */
};

/* Tells the file who listens to its bodies, and reads what stands at its end. */
void code_open(struct code *code, void *object, const char *path);
void code_close(struct code *code);

#endif
