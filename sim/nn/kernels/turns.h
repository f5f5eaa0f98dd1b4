/* turns.h - loops of the AI Core half over its turns
 *
 * Two forms: compute a tile and hand it over (product, then transfer), or wait for a
 * tile and compute with it (transfer, then product). ASCEND_MC2_DEBUG_MODE skips one of
 * the halves. */
#ifndef SIM_NN_KERNELS_TURNS_H
#define SIM_NN_KERNELS_TURNS_H

#include <stdbool.h>

#include "sim/nn/mc2.h"

struct turns {
    const struct npu_sim_comm_context *context;
    const struct mc2_tiling *tiling;
    uint64_t rows; /* divided into tiles */
    uint32_t block, blocks;
    /* Computes this block's share of the tile: rows `from` to before `to`. */
    void (*compute)(void *data, uint64_t from, uint64_t to);
    void *data; /* NULL: no computation */
};

bool turns_computes(const struct mc2_tiling *tiling);
bool turns_use_server(const struct mc2_tiling *tiling);
uint64_t turns_rows(const struct turns *turns, uint32_t turn);
/* Return true for exactly one block, after all ranks are done; that block must call
 * turns_end(). */
bool turns_produce(const struct turns *turns, const struct mc2_message *message);
bool turns_consume(const struct turns *turns, const struct mc2_message *message);
void turns_end(const struct turns *turns);

#endif
