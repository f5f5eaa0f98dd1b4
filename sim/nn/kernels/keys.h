/* keys.h - defines the two kernels of a file: OP_0 for 16-bit floats, OP_1 for bfloats
 *
 * Both use run(block, blocks, args) and cost() of the file. */
#ifndef SIM_NN_KERNELS_KEYS_H
#define SIM_NN_KERNELS_KEYS_H

#include <npu_sim/kernel.h>

/* Defines run() and cost() for a file whose fused_of(args) describes the operator
 * fully. */
#define KERNEL_RUN_AND_COST                                                            \
    static void run(uint32_t block, uint32_t blocks, const struct args *args)          \
    {                                                                                  \
        struct fused fused = fused_of(args);                                           \
                                                                                       \
        if (fused_run(&fused, block, blocks))                                          \
            fused_end(&fused, block, blocks);                                          \
    }                                                                                  \
    static void cost(uint32_t block, uint32_t blocks, const void *bytes, size_t size,  \
                     struct npu_sim_block_cost *out)                                   \
    {                                                                                  \
        struct fused fused = fused_of(bytes);                                          \
                                                                                       \
        (void)size;                                                                    \
        fused_cost(&fused, block, blocks, out);                                        \
    }

#define KERNEL_OF_KEY(name)                                                            \
    npu_sim_body_fn name;                                                              \
    void name(uint32_t block, uint32_t blocks, void *bytes, size_t size)               \
    {                                                                                  \
        (void)size;                                                                    \
        run(block, blocks, bytes);                                                     \
    }                                                                                  \
    const struct npu_sim_kernel name##_sim = {.size = sizeof(struct npu_sim_kernel),   \
                                              .kind = NPU_SIM_MIX,                     \
                                              .cost = cost,                            \
                                              .waits = 1}

#define KERNEL_OF_KEYS(op)                                                             \
    KERNEL_OF_KEY(op##_0);                                                             \
    KERNEL_OF_KEY(op##_1)

#endif
