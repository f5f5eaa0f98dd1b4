/* AllGatherMatmul.c - the AI Core half of aclnnAllGatherMatmul
 *
 * The server gathers the same rows of all ranks in a turn; they are multiplied while
 * the next ones are on their way. */
#include "sim/hccl/server.h"
#include "sim/nn/kernels/keys.h"
#include "sim/nn/kernels/product.h"
#include "sim/nn/kernels/turns.h"

struct args {
    const struct npu_sim_comm_context *context;
    const uint16_t *x1, *x2, *bias;
    uint16_t *output, *gathered;
    void *workspace;
    const struct mc2_tiling *tiling;
};

struct work {
    const struct args *args;
    struct product *product;
};

static void compute(void *data, uint64_t from, uint64_t to)
{
    const struct work *work = data;
    const struct args *args = work->args;
    const struct mc2_tiling *t = args->tiling;

    for (uint32_t rank = 0; rank < args->context->ranks; rank++)
        for (uint64_t at = from; at < to; at++) {
            uint64_t row = rank * t->m + at;

            product_row(work->product, args->gathered + row * t->k, 1,
                        args->output + row * t->n);
        }
}

static void run(uint32_t block, uint32_t blocks, const struct args *args)
{
    const struct mc2_tiling *t = args->tiling;
    struct work work = {args, NULL};
    struct turns turns = {.context = args->context,
                          .tiling = t,
                          .rows = t->m,
                          .block = block,
                          .blocks = blocks,
                          .compute = compute};
    const struct mc2_message message = {
        .command = NPU_SIM_ALL_GATHER,
        .type = t->type,
        .turns = t->turns,
        .from = (uintptr_t)args->x1,
        .into = (uintptr_t)args->gathered,
        .from_step = t->tile * t->k * 2,
        .into_step = t->tile * t->k * 2,
        .count = t->tile * t->k,
        .last_count = turns_rows(&turns, t->turns - 1) * t->k,
        .stride = t->m * t->k,
    };

    if (turns_computes(t))
        work.product = product_begin(t, args->x2, args->bias);
    turns.data = work.product ? &work : NULL;
    if (turns_consume(&turns, &message))
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
    uint64_t rows = t->m * args->context->ranks;
    uint64_t from = product_share(rows, block, blocks);
    uint64_t to = product_share(rows, block + 1, blocks);

    (void)size;
    if (turns_computes(t))
        product_cost(t, to - from, args->gathered + from * t->k, args->x2,
                     args->output + from * t->n, &out->cube);
    out->vector[0].scalar_instructions = out->vector[1].scalar_instructions = 200;
}

KERNEL_OF_KEYS(AllGatherMatmul);
