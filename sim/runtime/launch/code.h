/* code.h - the code of a kernel file: its address range and its instrumentation */
#ifndef SIM_RUNTIME_LAUNCH_CODE_H
#define SIM_RUNTIME_LAUNCH_CODE_H

#include <npu_sim/instrumented.h>
#include <stdbool.h>
#include <stdint.h>

struct block_table;

struct code {
    uint64_t base;                   /* address of the file in this process */
    uint64_t bytes;                  /* size of the mapped file */
    struct npu_sim_instrumented how; /* flags 0: not instrumented */
    struct block_table *blocks;      /* NULL: basic blocks are not counted */
    bool has_recorder;               /* the file has a recorder pointer */
    bool is_lccl;                    /* the kernel is a lightweight collective */
};

/* Sets the recorder of the file and reads the trailer of npu_sim/instrumented.h. */
void code_open(struct code *code, void *object, const char *path);
void code_close(struct code *code);

#endif
