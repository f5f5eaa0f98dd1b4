/* InplaceMatmulAllReduceAddRmsNorm.c - the AI Core half of the operator of that name
 *
 * The product is summed over the ranks in the workspace. At the end the vector cores
 * add it to the residual, in place, and write its norm. A second run on the same memory
 * gives a different result. */
#include <math.h>

#include "sim/hccl/server.h"
#include "sim/nn/kernels/fused.h"
#include "sim/nn/kernels/keys.h"
#include "sim/nn/kernels/product.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias, *gamma;
    uint16_t *residual, *norm, *workspace;
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
        .rows = t->m,
        .parts = 1,
        .command = NPU_SIM_ALL_REDUCE,
        .from = (uintptr_t)args->workspace,
        .into = (uintptr_t)args->workspace,
        .columns = t->n,
    };
}

static void add_and_norm(const struct args *args, uint64_t row)
{
    const struct mc2_tiling *t = args->tiling;
    uint16_t *residual = args->residual + row * t->n, *norm = args->norm + row * t->n;
    const uint16_t *sum = args->workspace + row * t->n;
    float squares = 0, scale;

    for (uint64_t j = 0; j < t->n; j++) {
        float value = product_float(t, residual[j]) + product_float(t, sum[j]);

        residual[j] = product_round(t, value);
        value = product_float(t, residual[j]);
        squares += value * value;
    }
    scale = 1.0f / sqrtf(squares / (float)t->n + t->epsilon);
    for (uint64_t j = 0; j < t->n; j++)
        norm[j] = product_round(t, product_float(t, residual[j]) * scale *
                                       product_float(t, args->gamma[j]));
}

static void run(uint32_t block, uint32_t blocks, const struct args *args)
{
    struct fused fused = fused_of(args);

    if (!fused_run(&fused, block, blocks))
        return;
    for (uint64_t row = 0; args->tiling->mode == MC2_ALL && row < args->tiling->m;
         row++)
        add_and_norm(args, row);
    fused_end(&fused, block, blocks);
}

static void cost_of_vectors(const struct args *args,
                            uint64_t from,
                            uint64_t rows,
                            struct npu_sim_core_cost *vector)
{
    const struct mc2_tiling *t = args->tiling;
    uint64_t bytes = rows * t->n * 2;

    vector->vector_fp32 = rows * t->n * 4;
    vector->vector_misc = rows * t->n * 3;
    vector->scalar_instructions = 200;
    vector->access_count = 4;
    vector->access[0] = (struct npu_sim_access){args->workspace + from * t->n, bytes, 1,
                                                NPU_SIM_GM_TO_UB};
    vector->access[1] = (struct npu_sim_access){args->residual + from * t->n, bytes, 1,
                                                NPU_SIM_GM_TO_UB};
    vector->access[2] = (struct npu_sim_access){args->residual + from * t->n, bytes, 1,
                                                NPU_SIM_UB_TO_GM};
    vector->access[3] =
        (struct npu_sim_access){args->norm + from * t->n, bytes, 1, NPU_SIM_UB_TO_GM};
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    struct fused fused = fused_of(args);
    uint64_t from = product_share(args->tiling->m, block, blocks);
    uint64_t to = product_share(args->tiling->m, block + 1, blocks);
    uint64_t middle = from + (to - from) / 2;

    (void)size;
    fused_cost(&fused, block, blocks, out);
    if (args->tiling->mode == MC2_ALL && to > from) {
        cost_of_vectors(args, from, middle - from, &out->vector[0]);
        cost_of_vectors(args, middle, to - middle, &out->vector[1]);
    }
}

KERNEL_OF_KEYS(InplaceMatmulAllReduceAddRmsNorm);
