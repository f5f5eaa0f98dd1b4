/* fused.h - the AI Core half of an operator that multiplies and communicates
 *
 * The operators differ in the location of the factors and the product, in the
 * transferred data, and in the order of transfer and multiplication. */
#ifndef SIM_NN_KERNELS_FUSED_H
#define SIM_NN_KERNELS_FUSED_H

#include <npu_sim/kernel.h>
#include <stdbool.h>

#include "sim/nn/mc2.h"

struct fused {
    const struct npu_sim_comm_context *context;
    const struct mc2_tiling *tiling;
    const uint16_t *left; /* its elements are left_row and left_column apart */
    uint64_t left_row, left_column;
    const uint16_t *right, *bias;
    uint16_t *product;
    uint64_t rows;       /* rows of a part; divided into tiles */
    uint64_t parts;      /* a tile covers the same rows of each part */
    uint32_t command;    /* enum npu_sim_command: the server's operation on a tile */
    uint64_t from, into; /* addresses of the first tile */
    uint64_t columns;    /* columns of the transferred data */
    bool gathers;        /* transfer before multiplication */
};

/* Runs one block. Returns true for exactly one block, after all ranks are done; that
 * block must call fused_end(). */
bool fused_run(const struct fused *fused, uint32_t block, uint32_t blocks);
void fused_end(const struct fused *fused, uint32_t block, uint32_t blocks);
void fused_cost(const struct fused *fused,
                uint32_t block,
                uint32_t blocks,
                struct npu_sim_block_cost *out);

#endif
