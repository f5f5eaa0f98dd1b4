/* MatmulReduceScatter.c - the AI Core half of aclnnMatmulReduceScatter
 *
 * The product goes into the workspace, of each rank's part the same rows in a turn; the
 * server adds up what is for this rank into the output. */
#include "sim/hccl/server.h"
#include "sim/nn/kernels/keys.h"
#include "sim/nn/kernels/product.h"
#include "sim/nn/kernels/turns.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias;
    uint16_t *output, *workspace;
    const struct mc2_tiling *tiling;
};

struct work {
    const struct args *args;
    struct product *product;
    uint64_t part; /* rows of a rank */
};

static void compute(void *data, uint64_t from, uint64_t to)
{
    const struct work *work = data;
    const struct args *args = work->args;
    const struct mc2_tiling *t = args->tiling;

    for (uint32_t rank = 0; rank < args->context->ranks; rank++)
        for (uint64_t at = from; at < to; at++) {
            uint64_t row = rank * work->part + at;

            product_row(work->product, args->x1 + row * t->x1_row, t->x1_column,
                        args->workspace + row * t->n);
        }
}

static void run(uint32_t block, uint32_t blocks, const struct args *args)
{
    const struct mc2_tiling *t = args->tiling;
    struct work work = {args, NULL, t->m / args->context->ranks};
    struct turns turns = {.context = args->context,
                          .tiling = t,
                          .rows = work.part,
                          .block = block,
                          .blocks = blocks,
                          .compute = compute};
    const struct mc2_message message = {
        .command = NPU_SIM_REDUCE_SCATTER,
        .type = t->type,
        .op = HCCL_REDUCE_SUM,
        .turns = t->turns,
        .from = (uintptr_t)args->workspace,
        .into = (uintptr_t)args->output,
        .from_step = t->tile * t->n * 2,
        .into_step = t->tile * t->n * 2,
        .count = t->tile * t->n,
        .last_count = turns_rows(&turns, t->turns - 1) * t->n,
        .stride = work.part * t->n,
    };

    if (turns_computes(t))
        work.product = product_begin(t, args->x2, args->bias);
    turns.data = work.product ? &work : NULL;
    if (turns_produce(&turns, &message))
        turns_end(&turns);
    product_end(work.product);
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
    if (turns_computes(t))
        product_cost(t, to - from, args->x1 + from * t->x1_row, args->x2,
                     args->workspace + from * t->n, &out->cube);
    out->vector[0].scalar_instructions = out->vector[1].scalar_instructions = 200;
}

KERNEL_OF_KEYS(MatmulReduceScatter);
