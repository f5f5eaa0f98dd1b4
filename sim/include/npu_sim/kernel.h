/* kernel.h - the interface of AI Core kernels of the simulator, and their declared work
 *
 * A kernel file is a host shared object. A kernel is a function of type npu_sim_body_fn
 * in it; the simulator finds it by its name. The constant <kernel>_sim in the same file
 * declares the kind of cores and the work of a block. Without it the kernel counts as a
 * vector kernel that only needs its start-up time.
 *
 * Device memory is host memory, so a body computes real results. Blocks run one after
 * the other, in order: a body must not wait for another block. */
#ifndef NPU_SIM_KERNEL_H
#define NPU_SIM_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPU_SIM_ACCESS_MAX 8

enum npu_sim_kind {
    NPU_SIM_CUBE = 1,   /* one cube core per block */
    NPU_SIM_VECTOR = 2, /* one vector core per block */
    NPU_SIM_MIX = 3,    /* one cube core and two vector cores per block */
};

enum npu_sim_path {
    NPU_SIM_GM_TO_L1,
    NPU_SIM_L1_TO_GM,
    NPU_SIM_L0C_TO_GM,
    NPU_SIM_GM_TO_UB,
    NPU_SIM_UB_TO_GM,
};

/* A range of device memory that a core transfers `times` times. The L2 model uses the
 * addresses: lines that are still in the cache hit, the others load from memory. */
struct npu_sim_access {
    const void *address;
    uint64_t bytes;
    uint32_t times; /* 0 counts as 1 */
    enum npu_sim_path path;
};

/* The work of one core in one block. Cube operations are 2 x m x n x k, vector
 * operations are elements, bytes are totals. */
struct npu_sim_core_cost {
    uint64_t cube_fp_ops;
    uint64_t cube_int_ops;
    uint64_t l1_to_l0a_bytes;
    uint64_t l1_to_l0b_bytes;
    uint64_t l0c_to_l1_bytes;
    uint64_t vector_fp32;
    uint64_t vector_fp16;
    uint64_t vector_int32;
    uint64_t vector_int16;
    uint64_t vector_misc; /* moves, casts, compares: counted as 32-bit elements */
    uint64_t scalar_instructions;
    uint32_t access_count;
    struct npu_sim_access access[NPU_SIM_ACCESS_MAX];
};

/* Zeroed before the kernel fills it. A vector kernel fills vector[0]. */
struct npu_sim_block_cost {
    struct npu_sim_core_cost cube;
    struct npu_sim_core_cost vector[2];
};

/* the position of a thread in a launch of threads */
struct npu_sim_dim {
    uint32_t x, y, z;
};

struct npu_sim_thread {
    struct npu_sim_dim grid, block; /* sizes of the grid and of a block */
    struct npu_sim_dim block_index, thread_index;
};

/* With a constant <kernel>_simt the kernel can also be launched as threads, on chips
 * that support it. Threads run one after the other, x first: a thread must not wait for
 * another one. */
typedef void
npu_sim_thread_fn(const struct npu_sim_thread *thread, void *args, size_t args_size);

struct npu_sim_simt {
    npu_sim_thread_fn *thread;
};

/* A constant <kernel>_params has the sizes of the arguments, in their order. Launches
 * that pass an array of pointers to arguments need it. */
struct npu_sim_params {
    uint32_t count;
    const uint32_t *sizes; /* in bytes */
};

typedef void
npu_sim_body_fn(uint32_t block, uint32_t blocks, void *args, size_t args_size);
/* Runs after the cube body of the same block, for sub-block 0 and then for sub-block 1.
 */
typedef void npu_sim_vector_fn(uint32_t block,
                               uint32_t blocks,
                               uint32_t sub,
                               void *args,
                               size_t args_size);
/* Declares the work of a block. The result must depend only on the arguments: the
 * simulator calls the function once per block before the bodies run. */
typedef void npu_sim_cost_fn(uint32_t block,
                             uint32_t blocks,
                             const void *args,
                             size_t args_size,
                             struct npu_sim_block_cost *cost);

/* A constant <kernel>_counted of type npu_sim_cost_fn *const declares the work of the
 * part between MetricsProfStart and MetricsProfStop, which a profiler can select with
 * aic_scale = 1. Without it such a profiler counts nothing. */
struct npu_sim_kernel {
    uint32_t size; /* sizeof(struct npu_sim_kernel) */
    enum npu_sim_kind kind;
    npu_sim_cost_fn *cost;
    npu_sim_vector_fn *vector; /* NPU_SIM_MIX: the vector half; may be NULL */
    uint32_t
        waits; /* 1: waits for an AI CPU half, which sets the time (fused operators) */
};

#ifdef __cplusplus
}
#endif

#endif
