/* batch_mat_mul_reduce_scatter_allto_all.c - each expert multiplies its tokens with its
 * part of the weight, the tensor group adds these, and the tokens return to their ranks
 *
 * Turn j computes the rows of local expert j; its reduce-scatter in the tensor group
 * runs meanwhile. The all-to-all of the expert group follows. */
#include <aclnnop/aclnn_batch_matmul_reduce_scatter_all_to_all.h>
#include <hccl/hccl_types.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/twogroups/batch.h"
#include "sim/hccl/server.h"

enum { OUT = BATCH_OWN };
enum { PRODUCTS, SUMS }; /* indexes of workspace_at */

/* The kept part of the rows from one place of the expert group: rows and columns. */
static uint64_t kept_rows(const struct mc2_tiling *t)
{
    return (uint64_t)(t->number[BATCH_SHARD_TYPE] == 1
                          ? t->number[BATCH_ROWS] / t->number[BATCH_TPS]
                          : t->number[BATCH_ROWS]);
}

static uint64_t kept_columns(const struct mc2_tiling *t)
{
    return t->number[BATCH_SHARD_TYPE] == 1 ? t->n
                                            : t->n / (uint64_t)t->number[BATCH_TPS];
}

/* Elements that one place of the tensor group keeps of an expert. */
static uint64_t kept(const struct mc2_tiling *t)
{
    return (uint64_t)t->number[BATCH_EPS] * kept_rows(t) * kept_columns(t);
}

static uint64_t products(const struct body *body, uint32_t expert)
{
    const struct mc2_tiling *t = body->tiling;

    return batch_part(body, PRODUCTS) +
           batch_bytes(t, expert * (uint64_t)t->number[BATCH_TPS] * kept(t));
}

static uint64_t sums(const struct body *body, uint32_t expert)
{
    return batch_part(body, SUMS) +
           batch_bytes(body->tiling, expert * kept(body->tiling));
}

static uint64_t rows(const struct body *body, uint32_t turn)
{
    (void)turn;
    return (uint64_t)(body->tiling->number[BATCH_EPS] *
                      body->tiling->number[BATCH_ROWS]);
}

/* Stores a row so that the part of each place of the tensor group is contiguous. */
static void
store(const struct body *body, uint32_t expert, uint64_t row, const float *values)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t count = (uint64_t)t->number[BATCH_ROWS], ep = row / count, c = row % count;
    uint64_t width = kept_columns(t), height = kept_rows(t);
    bool divides_rows = t->number[BATCH_SHARD_TYPE] == 1;

    for (uint64_t j = 0; j < t->n; j++) {
        uint64_t tp = divides_rows ? c / height : j / width;
        uint64_t at = (ep * height + (divides_rows ? c % height : c)) * width +
                      (divides_rows ? j : j % width);

        number_put(t->tensor[BATCH_X].type, products(body, expert), tp * kept(t) + at,
                   values[j]);
    }
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    struct batch *batch = body->state;

    if (from == to || !batch_select(batch, t, turn, false))
        return;
    for (uint64_t row = from; row < to; row++) {
        linear_row(batch->rows, t->tensor[BATCH_X].address,
                   (turn * rows(body, turn) + row) * t->k, 1, row, batch->row);
        store(body, turn, row, batch->row);
    }
}

static void message(const struct body *body, struct mc2_message *message)
{
    message->command = NPU_SIM_REDUCE_SCATTER;
    message->type = batch_type(body->tiling);
    message->op = HCCL_REDUCE_SUM;
    message->element_bytes = 2;
}

static void
scatter_parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    parts[0].from = products(body, turn);
    parts[0].into = sums(body, turn);
    parts[0].from_bytes = parts[0].into_bytes =
        batch_bytes(body->tiling, kept(body->tiling));
}

static void add_bias(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *bias = &t->tensor[BATCH_BIAS];
    int32_t type = t->tensor[BATCH_X].type;
    uint64_t width = kept_columns(t);

    for (uint32_t expert = 0; bias->dims > 0 && expert < t->turns; expert++)
        for (uint64_t i = 0; i < kept(t); i++)
            number_put(
                type, sums(body, expert), i,
                number_get(type, sums(body, expert), i) +
                    number_get(bias->type, bias->address, expert * width + i % width));
}

static void
return_parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t bytes = batch_bytes(t, kept_rows(t) * kept_columns(t));

    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank] = (struct npu_sim_part){
            sums(body, turn) + rank * bytes, bytes,
            t->tensor[OUT].address + (rank * t->turns + turn) * bytes, bytes};
}

static const struct fused_second second = {
    .group = BATCH_EP,
    .parts = return_parts,
    .between = add_bias,
};

static const struct fused_steps steps = {
    .open = batch_open,
    .close = batch_close,
    .message = message,
    .parts = scatter_parts,
    .second = &second,
    .computes_first = true,
    .rows = rows,
    .compute = compute,
    .cost = batch_cost,
};

FUSED_KERNELS(BatchMatMulReduceScatterAlltoAll, steps, 2);

/* Checks x (g, ep x C, M / tp) against the weight (g, M / tp, H), and sets C. */
static void check_sizes(struct check *check)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *x = &t->tensor[BATCH_X];
    uint64_t eps, tps;

    if (check->status)
        return;
    eps = (uint64_t)t->number[BATCH_EPS];
    tps = (uint64_t)t->number[BATCH_TPS];
    check_that(check, x->dim[0] == t->tensor[BATCH_WEIGHT].dim[0] &&
                          x->dim[1] % eps == 0 && x->dim[2] == t->k);
    t->number[BATCH_ROWS] = (int64_t)(x->dim[1] / eps);
    check_that(check,
               (t->number[BATCH_SHARD_TYPE] == 1 ? x->dim[1] / eps : t->n) % tps == 0);
}

aclnnStatus
aclnnBatchMatMulReduceScatterAlltoAllGetWorkspaceSize(const aclTensor *x,
                                                      const aclTensor *weight,
                                                      const aclTensor *biasOptional,
                                                      const char *groupEp,
                                                      const char *groupTp,
                                                      int64_t epWorldSize,
                                                      int64_t tpWorldSize,
                                                      int64_t yShardType,
                                                      aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    const struct batch_call call = {
        x, weight, biasOptional, groupEp, groupTp, epWorldSize, tpWorldSize, yShardType,
    };
    struct check check;
    struct mc2_tiling *t = &check.call.tiling;
    uint64_t all;

    check_begin(&check, "BatchMatMulReduceScatterAlltoAll");
    if (!out)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    batch_check(&check, &call);
    check_sizes(&check);
    if (check.status)
        return check.status;
    batch_check_bias(&check, biasOptional, kept_columns(t));
    check_tensor(&check, OUT, out, CHECK_HALF);
    check_type(&check, OUT, t->tensor[BATCH_X].type);
    check_dims3(&check, OUT, (uint64_t)epWorldSize * t->tensor[BATCH_X].dim[0],
                kept_rows(t), kept_columns(t));
    check_dense(&check, OUT);
    batch_check_turns(&check);
    if (check.status)
        return check.status;
    all = t->turns * kept(t);
    t->workspace_at[PRODUCTS] =
        check_workspace(&check, batch_bytes(t, all * (uint64_t)tpWorldSize));
    t->workspace_at[SUMS] = check_workspace(&check, batch_bytes(t, all));
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnBatchMatMulReduceScatterAlltoAll);
