/* AllGatherMatmul.c - the AI Core half of aclnnAllGatherMatmul
 *
 * In each turn the server gathers the same rows of all ranks. The cores multiply them
 * while the next rows are transferred. */
#include "sim/hccl/server.h"
#include "sim/nn/kernels/fused.h"
#include "sim/nn/kernels/keys.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias;
    uint16_t *output, *gathered;
    void *workspace;
    const struct mc2_tiling *tiling;
};

static struct fused fused_of(const struct args *args)
{
    const struct mc2_tiling *t = args->tiling;

    return (struct fused){
        .context = args->context,
        .tiling = t,
        .left = args->gathered,
        .left_row = t->k,
        .left_column = 1,
        .right = args->x2,
        .bias = args->bias,
        .product = args->output,
        .rows = t->m,
        .parts = args->context->ranks,
        .command = NPU_SIM_ALL_GATHER,
        .from = (uintptr_t)args->x1,
        .into = (uintptr_t)args->gathered,
        .columns = t->k,
        .gathers = true,
    };
}

KERNEL_RUN_AND_COST
KERNEL_OF_KEYS(AllGatherMatmul);
