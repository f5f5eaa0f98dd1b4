/* matmul_reduce_scatter.c - output = this rank's rows of the sum over all ranks of
 * x1 x x2 + bias
 *
 * The product is written to the workspace; a turn covers the same rows of each rank's
 * part. The server sums this rank's part into the output. Where the cores move the data
 * themselves, they receive the parts of all ranks and add them in the order of the
 * ranks. Version 2 has scales. */
#include <aclnnop/aclnn_matmul_reduce_scatter.h>
#include <aclnnop/aclnn_matmul_reduce_scatter_v2.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"
#include "sim/fused/shared/table.h"
#include "sim/hccl/server.h"

enum { PRODUCT_AT, RECEIVED_AT }; /* indexes of workspace_at */

static uint64_t product_at(const struct body *body)
{
    return body->workspace + body->tiling->workspace_at[PRODUCT_AT];
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t first = body_first_row(t, turn);

    for (uint32_t part = 0; part < body->context->ranks; part++)
        for (uint64_t i = first + from; i < first + to; i++) {
            uint64_t row = part * t->rows + i;

            product_store(t->tensor[FACTOR_OUTPUT].type, product_at(body), row, t->n,
                          product_row(body->state, t, row));
        }
}

static void message(const struct body *body, struct mc2_message *message)
{
    const struct mc2_tiling *t = body->tiling;
    int32_t type = t->tensor[FACTOR_OUTPUT].type;
    uint64_t step = t->tile * t->n;

    message->command = NPU_SIM_REDUCE_SCATTER;
    message->type = product_moved_type(type);
    message->op = HCCL_REDUCE_SUM;
    message->from = product_at(body);
    message->into = t->tensor[FACTOR_OUTPUT].address;
    message->from_step = message->into_step = number_bytes(type, step);
    message->count = step;
    message->last_count = body_turn_rows(t, t->turns - 1) * t->n;
    message->stride = body->context->ranks > 1 ? t->rows * t->n : 0;
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    int32_t type = t->tensor[FACTOR_OUTPUT].type;
    uint64_t part = number_bytes(type, t->rows * t->n);
    uint64_t at = number_bytes(type, body_first_row(t, turn) * t->n);
    uint64_t bytes = number_bytes(type, body_turn_rows(t, turn) * t->n);
    uint64_t received = body->workspace + t->workspace_at[RECEIVED_AT];

    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank] = (struct npu_sim_part){product_at(body) + rank * part + at, bytes,
                                            received + rank * part + at, bytes};
}

static void add_parts(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *output = &t->tensor[FACTOR_OUTPUT];
    uint64_t count = t->rows * t->n;
    uint64_t received = body->workspace + t->workspace_at[RECEIVED_AT];

    for (uint64_t i = 0; i < count; i++) {
        float sum = 0;

        for (uint32_t rank = 0; rank < body->context->ranks; rank++)
            sum += number_get(output->type, received, rank * count + i);
        number_put(output->type, output->address, i, sum);
    }
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    product_cost(body, body->tiling->m, product_at(body), out);
}

static const struct fused_steps steps = {
    .open = product_open,
    .close = product_close,
    .message = message,
    .computes_first = true,
    .compute = compute,
    .cost = cost,
};

static const struct fused_steps steps_v2 = {
    .open = product_open,
    .close = product_close,
    .parts = parts,
    .computes_first = true,
    .compute = compute,
    .after = add_parts,
    .cost = cost,
};

FUSED_KERNELS(MatmulReduceScatter, steps, 1);
FUSED_KERNELS(MatmulReduceScatterV2, steps_v2, 1);

static void
prepare(struct check *check, const struct factors *factors, const aclTensor *output)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t ranks, bytes;

    check->call.skips_without_workspace = true;
    factors_check(check, factors);
    factors_check_scales(check, factors, t->m);
    ranks = check_ranks(check);
    check_that(check, ranks && t->m % ranks == 0);
    check_tensor(check, FACTOR_OUTPUT, output, CHECK_OUT);
    check_dense(check, FACTOR_OUTPUT);
    if (check->status)
        return;
    if (!factors->x1_scale && !factors->x2_scale)
        check_type(check, FACTOR_OUTPUT, t->tensor[FACTOR_X1].type);
    if (!product_is_empty(check))
        check_dims2(check, FACTOR_OUTPUT, t->m / ranks, t->n);
    bytes = number_bytes(t->tensor[FACTOR_OUTPUT].type, t->m * t->n);
    t->workspace_at[PRODUCT_AT] = check_workspace(check, bytes);
    t->workspace_at[RECEIVED_AT] = check_workspace(check, bytes);
    check_cut(check, t->m / ranks,
              number_bytes(t->tensor[FACTOR_OUTPUT].type, t->n * ranks));
}

aclnnStatus aclnnMatmulReduceScatterGetWorkspaceSize(const aclTensor *x1,
                                                     const aclTensor *x2,
                                                     const aclTensor *bias,
                                                     const char *group,
                                                     const char *reduceOp,
                                                     int64_t commTurn,
                                                     int64_t streamMode,
                                                     const aclTensor *output,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor)
{
    const struct factors factors = {.x1 = x1,
                                    .x2 = x2,
                                    .bias = bias,
                                    .left_types = CHECK_HALF,
                                    .right_types = CHECK_HALF};
    struct check check;

    check_begin(&check, table_type("MatmulReduceScatter", "MatmulReduceScatterV2"));
    check_group(&check, group, reduceOp ? reduceOp : "", commTurn, streamMode);
    prepare(&check, &factors, output);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnMatmulReduceScatterV2GetWorkspaceSize(const aclTensor *x1,
                                                       const aclTensor *x2,
                                                       const aclTensor *bias,
                                                       const aclTensor *x1Scale,
                                                       const aclTensor *x2Scale,
                                                       const aclTensor *quantScale,
                                                       int64_t blockSize,
                                                       const char *group,
                                                       const char *reduceOp,
                                                       int64_t commTurn,
                                                       int64_t streamMode,
                                                       int64_t groupSize,
                                                       const char *commMode,
                                                       aclTensor *output,
                                                       aclTensor *amaxOutOptional,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor)
{
    const uint64_t types = CHECK_HALF | CHECK_SMALL_INT | CHECK_FLOAT8 | CHECK_FLOAT4;
    const struct factors factors = {.x1 = x1,
                                    .x2 = x2,
                                    .bias = bias,
                                    .x1_scale = x1Scale,
                                    .x2_scale = x2Scale,
                                    .group_size = groupSize,
                                    .scales_first = true,
                                    .left_types = types,
                                    .right_types = types};
    struct check check;

    check_begin(&check, "MatmulReduceScatterV2");
    check_group(&check, group, reduceOp ? reduceOp : "", commTurn, streamMode);
    check_comm_mode(&check, commMode);
    check_that(&check, blockSize == 0);
    check_absent(&check, quantScale);
    check_absent(&check, amaxOutOptional);
    prepare(&check, &factors, output);
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnMatmulReduceScatter);
FUSED_RUN(aclnnMatmulReduceScatterV2);
