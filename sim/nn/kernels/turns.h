/* turns.h - how the AI Core half goes through its turns
 *
 * Two shapes: compute a tile and hand it over (product, then transfer), or wait for a
 * tile and compute with it (transfer, then product). ASCEND_MC2_DEBUG_MODE leaves one
 * of the halves out. */
#ifndef SIM_NN_KERNELS_TURNS_H
#define SIM_NN_KERNELS_TURNS_H

#include <stdbool.h>

#include "sim/nn/mc2.h"

struct turns {
    const struct npu_sim_comm_context *context;
    const struct mc2_tiling *tiling;
    uint64_t rows; /* cut into tiles */
    uint32_t block, blocks;
    /* This block's share of the tile: rows `from` to before `to` of it. */
    void (*compute)(void *data, uint64_t from, uint64_t to);
    void *data; /* NULL: nothing is computed */
};

bool turns_computes(const struct mc2_tiling *tiling);
bool turns_talks(const struct mc2_tiling *tiling);
uint64_t turns_rows(const struct turns *turns, uint32_t turn);
/* True for one block: all is done, on all ranks, and turns_end() is its duty. */
bool turns_produce(const struct turns *turns, const struct mc2_message *message);
bool turns_consume(const struct turns *turns, const struct mc2_message *message);
void turns_end(const struct turns *turns);

#endif
