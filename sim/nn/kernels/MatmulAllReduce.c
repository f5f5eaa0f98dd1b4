/* MatmulAllReduce.c - the AI Core half of aclnnMatmulAllReduce
 *
 * Turn after turn a tile of the product goes into the output and is handed over; the
 * server puts the sum of all ranks in its place while the next one is computed. */
#include "sim/hccl/server.h"
#include "sim/nn/kernels/product.h"
#include "sim/nn/kernels/talk.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias;
    uint16_t *output;
    void *workspace;
    const struct mc2_tiling *tiling;
};

npu_sim_body_fn MatmulAllReduce_0, MatmulAllReduce_1;

static uint64_t rows_of(const struct mc2_tiling *tiling, uint32_t turn)
{
    uint64_t from = turn * tiling->tile, left = tiling->m - from;

    return left < tiling->tile ? left : tiling->tile;
}

static void describe(const struct args *args)
{
    const struct mc2_tiling *t = args->tiling;
    const struct mc2_message message = {
        .command = NPU_SIM_ALL_REDUCE,
        .type = t->type,
        .op = HCCL_REDUCE_SUM,
        .turns = t->turns,
        .from = (uintptr_t)args->output,
        .into = (uintptr_t)args->output,
        .from_step = t->tile * t->n * 2,
        .into_step = t->tile * t->n * 2,
        .count = t->tile * t->n,
        .last_count = rows_of(t, t->turns - 1) * t->n,
    };

    talk_prepare(args->context, &message);
}

static void compute(const struct args *args,
                    struct product *product,
                    uint32_t turn,
                    uint32_t block,
                    uint32_t blocks)
{
    const struct mc2_tiling *t = args->tiling;
    uint64_t rows = rows_of(t, turn), first = turn * t->tile;
    uint64_t to = first + product_share(rows, block + 1, blocks);

    for (uint64_t row = first + product_share(rows, block, blocks); row < to; row++)
        product_row(product, args->x1 + row * t->x1_row, t->x1_column,
                    args->output + row * t->n);
}

static void run(uint32_t block, uint32_t blocks, const struct args *args)
{
    const struct mc2_tiling *t = args->tiling;
    bool talks = t->mode == MC2_ALL || t->mode == MC2_AICPU_ONLY;
    struct product *product = NULL;

    if (t->mode == MC2_ALL || t->mode == MC2_CUBE_ONLY)
        product = product_begin(t, args->x2, args->bias);
    if (talks && block == 0)
        describe(args);
    for (uint32_t turn = 0; turn < t->turns; turn++) {
        if (product)
            compute(args, product, turn, block, blocks);
        if (talks && talk_is_last(args->context, turn, blocks))
            talk_commit(args->context, turn);
    }
    product_end(product);
    if (!talks || !talk_leaves_last(args->context, blocks))
        return;
    for (uint32_t turn = 0; turn < t->turns; turn++)
        if (!talk_wait(args->context, turn))
            return;
    talk_finalize(args->context);
}

void MatmulAllReduce_0(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    (void)size;
    run(block, blocks, bytes);
}

void MatmulAllReduce_1(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    (void)size;
    run(block, blocks, bytes);
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    const struct mc2_tiling *t = args->tiling;
    uint64_t from = product_share(t->m, block, blocks);
    uint64_t to = product_share(t->m, block + 1, blocks);

    (void)size;
    if (t->mode == MC2_ALL || t->mode == MC2_CUBE_ONLY)
        product_cost(t, to - from, args->x1 + from * t->x1_row, args->x2,
                     args->output + from * t->n, &out->cube);
    out->vector[0].scalar_instructions = out->vector[1].scalar_instructions = 200;
}

/* the keys: 0 for 16-bit floats, 1 for bfloats */
const struct npu_sim_kernel MatmulAllReduce_0_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_MIX,
    .cost = cost,
};
const struct npu_sim_kernel MatmulAllReduce_1_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_MIX,
    .cost = cost,
};
