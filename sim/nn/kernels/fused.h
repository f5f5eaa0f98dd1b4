/* fused.h - the AI Core half of an operator that multiplies and communicates
 *
 * What differs between them is where the factors and the product lie, what is moved,
 * and whether it is moved before it is multiplied or afterwards. */
#ifndef SIM_NN_KERNELS_FUSED_H
#define SIM_NN_KERNELS_FUSED_H

#include <npu_sim/kernel.h>
#include <stdbool.h>

#include "sim/nn/mc2.h"

struct fused {
    const struct npu_sim_comm_context *context;
    const struct mc2_tiling *tiling;
    const uint16_t *left; /* its elements are so far apart */
    uint64_t left_row, left_column;
    const uint16_t *right, *bias;
    uint16_t *product;
    uint64_t rows;       /* of a part; cut into tiles */
    uint64_t parts;      /* a tile has the same rows of each part */
    uint32_t command;    /* enum npu_sim_command: what the server does with a tile */
    uint64_t from, into; /* addresses of the first tile */
    uint64_t columns;    /* of what is moved */
    bool gathers;        /* it is moved first */
};

/* True for one block: all is done on all ranks, and fused_end() is its duty. */
bool fused_run(const struct fused *fused, uint32_t block, uint32_t blocks);
void fused_end(const struct fused *fused, uint32_t block, uint32_t blocks);
void fused_cost(const struct fused *fused,
                uint32_t block,
                uint32_t blocks,
                struct npu_sim_block_cost *out);

#endif
