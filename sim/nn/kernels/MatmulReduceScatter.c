/* MatmulReduceScatter.c - the AI Core half of aclnnMatmulReduceScatter
 *
 * The product is written to the workspace; a turn covers the same rows of each rank's
 * part. The server sums this rank's part into the output. */
#include "sim/hccl/server.h"
#include "sim/nn/kernels/fused.h"
#include "sim/nn/kernels/keys.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias;
    uint16_t *output, *workspace;
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
        .product = args->workspace,
        .rows = t->m / args->context->ranks,
        .parts = args->context->ranks,
        .command = NPU_SIM_REDUCE_SCATTER,
        .from = (uintptr_t)args->workspace,
        .into = (uintptr_t)args->output,
        .columns = t->n,
    };
}

KERNEL_RUN_AND_COST
KERNEL_OF_KEYS(MatmulReduceScatter);
