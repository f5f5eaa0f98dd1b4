/* body.h - the AI Core half of a fused operator: a table of its steps
 *
 * The work is divided into turns. Two forms: the cores compute a turn and hand it over
 * (product, then transfer), or they wait for a turn and compute with it (transfer, then
 * product). The blocks of a kernel run one after the other, and divide the rows of each
 * turn. ASCEND_MC2_DEBUG_MODE skips one of the halves. */
#ifndef SIM_FUSED_SHARED_BODY_H
#define SIM_FUSED_SHARED_BODY_H

#include <npu_sim/kernel.h>
#include <stdbool.h>

#include "sim/nn/mc2.h"

struct body {
    const struct npu_sim_comm_context *const *contexts; /* one per group */
    const struct npu_sim_comm_context *context;         /* of the first group */
    const struct mc2_tiling *tiling;
    uint64_t workspace;
    uint32_t block, blocks;
    void *state; /* of this block */
};

/* A second transfer, of an operator with two groups. It begins when the first one has
 * ended, and uses the other group. */
struct fused_second {
    uint32_t group; /* index of its group */
    void (*message)(const struct body *body, struct mc2_message *message);
    void (*parts)(const struct body *body, uint32_t turn, struct npu_sim_part *parts);
    /* Runs once between the two transfers. */
    void (*between)(const struct body *body);
};

/* Each function may be NULL. */
struct fused_steps {
    /* Returns what the other functions need; it is freed with `close`. */
    void *(*open)(const struct body *body);
    void (*close)(void *state);
    /* Describes a transfer of equal parts. Sets command, type, from, into, the steps
     * and counts. */
    void (*message)(const struct body *body, struct mc2_message *message);
    /* In place of `message`: sets the parts of a turn, one per rank. */
    void (*parts)(const struct body *body, uint32_t turn, struct npu_sim_part *parts);
    /* In place of a transfer: writes into the windows of other ranks, and adds the
     * bytes for each of them. Returns false when it cannot; the launch then fails. */
    bool (*send)(const struct body *body, uint64_t *bytes);
    const struct fused_second *second;
    bool computes_first;
    /* Returns what moves the data in place of the addresses of the parts. */
    struct npu_sim_stream *(*stream)(const struct body *body);
    /* Runs once, before the first transfer of an operator that transfers first. */
    void (*before)(const struct body *body);
    /* Returns the rows of a turn; without it the tiling's rows are cut into tiles. */
    uint64_t (*rows)(const struct body *body, uint32_t turn);
    /* Computes rows `from` to before `to` of a turn. */
    void (*compute)(const struct body *body, uint32_t turn, uint64_t from, uint64_t to);
    /* Runs once, when all data of all turns is there. */
    void (*after)(const struct body *body);
    /* Declares the work of this block. */
    void (*cost)(const struct body *body, struct npu_sim_block_cost *out);
};

void body_run(const struct fused_steps *steps,
              uint32_t groups,
              uint32_t block,
              uint32_t blocks,
              void *args);
void body_cost(const struct fused_steps *steps,
               uint32_t groups,
               uint32_t block,
               uint32_t blocks,
               const void *args,
               struct npu_sim_block_cost *out);

uint64_t body_first_row(const struct mc2_tiling *tiling, uint32_t turn);
uint64_t body_turn_rows(const struct mc2_tiling *tiling, uint32_t turn);
/* Returns the first row of the block's share; the share ends at the first row of the
 * next block. */
uint64_t body_share(uint64_t rows, uint32_t block, uint32_t blocks);
/* Declares vector work of a block: its share of bytes that are read and written. */
void body_vector_cost(const struct body *body,
                      uint64_t address,
                      uint64_t bytes_in,
                      uint64_t bytes_out,
                      struct npu_sim_block_cost *out);

#define FUSED_KERNEL_OF_KEY(name, steps, groups)                                       \
    npu_sim_body_fn name;                                                              \
    void name(uint32_t block, uint32_t blocks, void *bytes, size_t size)               \
    {                                                                                  \
        (void)size;                                                                    \
        body_run(&(steps), groups, block, blocks, bytes);                              \
    }                                                                                  \
    static void name##_cost(uint32_t block, uint32_t blocks, const void *bytes,        \
                            size_t size, struct npu_sim_block_cost *out)               \
    {                                                                                  \
        (void)size;                                                                    \
        body_cost(&(steps), groups, block, blocks, bytes, out);                        \
    }                                                                                  \
    extern const struct npu_sim_kernel name##_sim;                                     \
    const struct npu_sim_kernel name##_sim = {.size = sizeof(struct npu_sim_kernel),   \
                                              .kind = NPU_SIM_MIX,                     \
                                              .cost = name##_cost,                     \
                                              .waits = 1}

/* Defines the kernels OP_0 for 16-bit floats, OP_1 for bfloats and OP_2 for all other
 * types. */
#define FUSED_KERNELS(op, steps, groups)                                               \
    FUSED_KERNEL_OF_KEY(op##_0, steps, groups);                                        \
    FUSED_KERNEL_OF_KEY(op##_1, steps, groups);                                        \
    FUSED_KERNEL_OF_KEY(op##_2, steps, groups)

#endif
