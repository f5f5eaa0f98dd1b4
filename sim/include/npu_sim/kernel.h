/* kernel.h - what a kernel of the simulator is, and how it tells what work it does
 *
 * A kernel file is a host shared object. A kernel is a function of type npu_sim_body_fn
 * in it, found by its name. Beside it may stand a constant named <kernel>_sim that says
 * which cores it runs on and what a block costs; without one the kernel counts as a
 * vector kernel that costs its start-up only.
 *
 * Device memory is host memory here, so a body computes real answers. Blocks run one
 * after the other, in order: a body must not wait for another block. */
#ifndef NPU_SIM_KERNEL_H
#define NPU_SIM_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPU_SIM_ACCESS_MAX 8

enum npu_sim_kind {
    NPU_SIM_CUBE = 1,   /* one cube core a block */
    NPU_SIM_VECTOR = 2, /* one vector core a block */
    NPU_SIM_MIX = 3,    /* one cube and two vector cores a block */
};

enum npu_sim_path {
    NPU_SIM_GM_TO_L1,
    NPU_SIM_L1_TO_GM,
    NPU_SIM_L0C_TO_GM,
    NPU_SIM_GM_TO_UB,
    NPU_SIM_UB_TO_GM,
};

/* A range of device memory that a core moves, `times` times over. The L2 model sees the
 * addresses: what was touched before and still fits hits, the rest goes to memory. */
struct npu_sim_access {
    const void *address;
    uint64_t bytes;
    uint32_t times; /* 0 counts as 1 */
    enum npu_sim_path path;
};

/* What one core does in one block. Operations of the cube are 2 x m x n x k; those of
 * the vector unit are elements. Bytes are what is moved in all. */
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

/* Where a thread stands, in a launch of threads. */
struct npu_sim_dim {
    uint32_t x, y, z;
};

struct npu_sim_thread {
    struct npu_sim_dim grid, block; /* how many there are */
    struct npu_sim_dim block_index, thread_index;
};

/* A constant <kernel>_simt beside the kernel makes it one that can be launched as
 * threads too, on chips that can. They run one after the other, x first: a thread must
 * not wait for another. */
typedef void
npu_sim_thread_fn(const struct npu_sim_thread *thread, void *args, size_t args_size);

struct npu_sim_simt {
    npu_sim_thread_fn *thread;
};

/* A constant <kernel>_params beside the kernel tells the sizes of its arguments, in
 * their order: a launch that gives an array of pointers to them needs it. */
struct npu_sim_params {
    uint32_t count;
    const uint32_t *sizes; /* in bytes */
};

typedef void
npu_sim_body_fn(uint32_t block, uint32_t blocks, void *args, size_t args_size);
/* Runs after the cube's body of the same block, for sub-block 0 and then 1. */
typedef void npu_sim_vector_fn(uint32_t block,
                               uint32_t blocks,
                               uint32_t sub,
                               void *args,
                               size_t args_size);
/* Must depend on its arguments only: it is asked once a block, before the bodies run.
 */
typedef void npu_sim_cost_fn(uint32_t block,
                             uint32_t blocks,
                             const void *args,
                             size_t args_size,
                             struct npu_sim_block_cost *cost);

struct npu_sim_kernel {
    uint32_t size; /* sizeof(struct npu_sim_kernel) */
    enum npu_sim_kind kind;
    npu_sim_cost_fn *cost;
    npu_sim_vector_fn *vector; /* NPU_SIM_MIX: the vector half; may be NULL */
    uint32_t waits; /* 1: for an AI CPU half, which says how long (fused operators) */
};

#ifdef __cplusplus
}
#endif

#endif
