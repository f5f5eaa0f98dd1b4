/* MatmulAllReduce.c - the AI Core half of aclnnMatmulAllReduce
 *
 * In each turn a tile of the product is written to the output and handed over. The
 * server replaces it by the sum over all ranks while the next tile is computed. */
#include "sim/hccl/server.h"
#include "sim/nn/kernels/fused.h"
#include "sim/nn/kernels/keys.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias;
    uint16_t *output;
    void *workspace;
    const struct mc2_tiling *tiling;
};

static struct fused fused_of(const struct args *args)
{
    const struct mc2_tiling *t = args->tiling;

    return (struct fused){
        .context = args->context,
        .tiling = t,
        .left = args->x1,
        .left_row = t->x1_row,
        .left_column = t->x1_column,
        .right = args->x2,
        .bias = args->bias,
        .product = args->output,
        .rows = t->m,
        .parts = 1,
        .command = NPU_SIM_ALL_REDUCE,
        .from = (uintptr_t)args->output,
        .into = (uintptr_t)args->output,
        .columns = t->n,
    };
}

KERNEL_RUN_AND_COST
KERNEL_OF_KEYS(MatmulAllReduce);
