#include "sim/nn/kernels/fused.h"

#include <hccl/hccl_types.h>

#include "sim/nn/kernels/product.h"
#include "sim/nn/kernels/turns.h"

#define VECTOR_INSTRUCTIONS 200 /* of an idle vector core */

struct work {
    const struct fused *fused;
    struct product *product;
};

static void compute(void *data, uint64_t from, uint64_t to)
{
    const struct work *work = data;
    const struct fused *fused = work->fused;

    for (uint64_t part = 0; part < fused->parts; part++)
        for (uint64_t at = from; at < to; at++) {
            uint64_t row = part * fused->rows + at;

            product_row(work->product, fused->left + row * fused->left_row,
                        fused->left_column, fused->product + row * fused->tiling->n);
        }
}

static struct turns turns_of(const struct fused *fused, uint32_t block, uint32_t blocks)
{
    return (struct turns){.context = fused->context,
                          .tiling = fused->tiling,
                          .rows = fused->rows,
                          .block = block,
                          .blocks = blocks,
                          .compute = compute};
}

static struct mc2_message message_of(const struct fused *fused,
                                     const struct turns *turns)
{
    const struct mc2_tiling *t = fused->tiling;
    uint64_t step = t->tile * fused->columns;

    return (struct mc2_message){
        .command = fused->command,
        .type = t->type,
        .op = HCCL_REDUCE_SUM,
        .turns = t->turns,
        .from = fused->from,
        .into = fused->into,
        .from_step = step * sizeof(uint16_t),
        .into_step = step * sizeof(uint16_t),
        .count = step,
        .last_count = turns_rows(turns, t->turns - 1) * fused->columns,
        .stride = fused->parts > 1 ? fused->rows * fused->columns : 0,
    };
}

bool fused_run(const struct fused *fused, uint32_t block, uint32_t blocks)
{
    struct turns turns = turns_of(fused, block, blocks);
    struct mc2_message message = message_of(fused, &turns);
    struct work work = {fused, NULL};
    bool is_last;

    if (turns_computes(fused->tiling))
        work.product = product_begin(fused->tiling, fused->right, fused->bias);
    turns.data = work.product ? &work : NULL;
    is_last = fused->gathers ? turns_consume(&turns, &message)
                             : turns_produce(&turns, &message);
    product_end(work.product);
    return is_last;
}

void fused_end(const struct fused *fused, uint32_t block, uint32_t blocks)
{
    struct turns turns = turns_of(fused, block, blocks);

    turns_end(&turns);
}

void fused_cost(const struct fused *fused,
                uint32_t block,
                uint32_t blocks,
                struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = fused->tiling;
    uint64_t rows = fused->rows * fused->parts;
    uint64_t from = product_share(rows, block, blocks);
    uint64_t to = product_share(rows, block + 1, blocks);

    if (turns_computes(t))
        product_cost(t, to - from, fused->left + from * fused->left_row, fused->right,
                     fused->product + from * t->n, &out->cube);
    out->vector[0].scalar_instructions = VECTOR_INSTRUCTIONS;
    out->vector[1].scalar_instructions = VECTOR_INSTRUCTIONS;
}
