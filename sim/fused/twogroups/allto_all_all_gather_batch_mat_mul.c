/* allto_all_all_gather_batch_mat_mul.c - tokens go to the ranks of their experts, the
 * tensor group gathers them, each expert multiplies them with its weight
 *
 * Turn j moves the rows of local expert j: an all-to-all of the expert group, then an
 * all-gather of the tensor group. The cores multiply while the latter runs. */
#include <aclnnop/aclnn_all_to_all_all_gather_batch_matmul.h>
#include <hccl/hccl_types.h>
#include <math.h>
#include <string.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"
#include "sim/fused/twogroups/batch.h"
#include "sim/hccl/server.h"

enum { Y1 = BATCH_OWN, Y2, Y3 };
enum { ACTIVATION = BATCH_OWN_NUMBER };
enum { RECEIVED, GATHERED, ROWS_AT }; /* indexes of workspace_at */

enum activation { ACT_NONE, ACT_GELU, ACT_SILU, ACT_RELU, ACT_FAST_GELU, ACTS };

/* The rows of this rank from one place of the expert group: C' x H'. */
static uint64_t piece(const struct mc2_tiling *t)
{
    return t->tensor[BATCH_X].dim[1] * t->tensor[BATCH_X].dim[2];
}

static uint64_t received(const struct body *body, uint32_t expert)
{
    const struct mc2_tiling *t = body->tiling;

    return batch_part(body, RECEIVED) +
           batch_bytes(t, expert * (uint64_t)t->number[BATCH_EPS] * piece(t));
}

static uint64_t gathered(const struct body *body, uint32_t expert)
{
    const struct mc2_tiling *t = body->tiling;

    return batch_part(body, GATHERED) +
           batch_bytes(t, expert *
                              (uint64_t)(t->number[BATCH_EPS] * t->number[BATCH_TPS]) *
                              piece(t));
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t bytes = batch_bytes(t, piece(t));

    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank] = (struct npu_sim_part){
            t->tensor[BATCH_X].address + (rank * t->turns + turn) * bytes, bytes,
            received(body, turn) + rank * bytes, bytes};
}

static void message(const struct body *body, struct mc2_message *message)
{
    message->command = NPU_SIM_ALL_GATHER;
    message->type = batch_type(body->tiling);
    message->element_bytes = 2;
}

static void
second_parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;

    parts[0].from = received(body, turn);
    parts[0].into = gathered(body, turn);
    parts[0].from_bytes = parts[0].into_bytes =
        batch_bytes(t, (uint64_t)t->number[BATCH_EPS] * piece(t));
}

static const struct fused_second second = {
    .group = BATCH_TP,
    .message = message,
    .parts = second_parts,
};

static uint64_t rows(const struct body *body, uint32_t turn)
{
    (void)turn;
    return (uint64_t)(body->tiling->number[BATCH_EPS] *
                      body->tiling->number[BATCH_ROWS]);
}

/* Collects row `row` of an expert from what the tensor group sent. */
static void collect(const struct body *body, uint32_t expert, uint64_t row, char *into)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *x = &t->tensor[BATCH_X];
    uint64_t tps = (uint64_t)t->number[BATCH_TPS], eps = (uint64_t)t->number[BATCH_EPS];
    uint64_t count = (uint64_t)t->number[BATCH_ROWS], width = batch_bytes(t, x->dim[2]);
    const char *from = (const char *)(uintptr_t)gathered(body, expert);
    uint64_t ep = row / count, c = row % count;

    if (t->number[BATCH_SHARD_TYPE] == 1)
        memcpy(into,
               from + ((c / x->dim[1] * eps + ep) * x->dim[1] + c % x->dim[1]) * width,
               width);
    for (uint64_t tp = 0; t->number[BATCH_SHARD_TYPE] == 0 && tp < tps; tp++)
        memcpy(into + tp * width, from + ((tp * eps + ep) * count + c) * width, width);
}

static float activated(enum activation activation, float x)
{
    switch (activation) {
    case ACT_GELU:
        return x / (1 + expf(-1.5957691216f * (x + 0.044715f * x * x * x)));
    case ACT_SILU:
        return x / (1 + expf(-x));
    case ACT_RELU:
        return x > 0 ? x : 0;
    case ACT_FAST_GELU:
        return x / (1 + expf(-1.702f * x));
    default:
        return x;
    }
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *y1 = &t->tensor[Y1], *y2 = &t->tensor[Y2];
    const struct mc2_tensor *y3 = &t->tensor[Y3];
    uint64_t x = y2->dims ? y2->address : batch_part(body, ROWS_AT);
    struct batch *batch = body->state;

    if (from == to || !batch_select(batch, t, turn, true))
        return;
    for (uint64_t row = from; row < to; row++) {
        uint64_t at = turn * rows(body, turn) + row;

        collect(body, turn, row, (char *)(uintptr_t)(x + batch_bytes(t, at * t->k)));
        linear_row(batch->rows, x, at * t->k, 1, row, batch->row);
        if (y3->dims)
            product_store(y3->type, y3->address, at, t->n, batch->row);
        for (uint64_t j = 0; t->number[ACTIVATION] && j < t->n; j++)
            batch->row[j] = activated((enum activation)t->number[ACTIVATION],
                                      number_round(y1->type, batch->row[j]));
        product_store(y1->type, y1->address, at, t->n, batch->row);
    }
}

static const struct fused_steps steps = {
    .open = batch_open,
    .close = batch_close,
    .parts = parts,
    .second = &second,
    .rows = rows,
    .compute = compute,
    .cost = batch_cost,
};

FUSED_KERNELS(AlltoAllAllGatherBatchMatMul, steps, 2);

/* Checks x (E, C', H') against the weight (g, H, M / tp), and sets C. */
static void check_sizes(struct check *check)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *x = &t->tensor[BATCH_X];
    uint64_t tps = (uint64_t)t->number[BATCH_TPS];
    bool divides_rows = t->number[BATCH_SHARD_TYPE] == 1;

    if (check->status)
        return;
    check_that(check, x->dim[0] == (uint64_t)t->number[BATCH_EPS] *
                                       t->tensor[BATCH_WEIGHT].dim[0] &&
                          t->k == x->dim[2] * (divides_rows ? 1 : tps));
    t->number[BATCH_ROWS] = (int64_t)(x->dim[1] * (divides_rows ? tps : 1));
}

static void check_output(struct check *check,
                         uint32_t slot,
                         const aclTensor *tensor,
                         uint64_t width)
{
    const struct mc2_tiling *t = &check->call.tiling;

    check_tensor(check, slot, tensor, CHECK_HALF);
    check_type(check, slot, t->tensor[BATCH_X].type);
    check_dims3(check, slot, t->tensor[BATCH_WEIGHT].dim[0],
                (uint64_t)(t->number[BATCH_EPS] * t->number[BATCH_ROWS]), width);
    check_dense(check, slot);
}

aclnnStatus
aclnnAlltoAllAllGatherBatchMatMulGetWorkspaceSize(const aclTensor *x,
                                                  const aclTensor *weight,
                                                  const aclTensor *biasOptional,
                                                  const char *groupEp,
                                                  const char *groupTp,
                                                  int64_t epWorldSize,
                                                  int64_t tpWorldSize,
                                                  int64_t xShardType,
                                                  int64_t actType,
                                                  aclTensor *y1Out,
                                                  aclTensor *y2OutOptional,
                                                  aclTensor *y3OutOptional,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor)
{
    const struct batch_call call = {
        x, weight, biasOptional, groupEp, groupTp, epWorldSize, tpWorldSize, xShardType,
    };
    struct check check;
    struct mc2_tiling *t = &check.call.tiling;
    uint64_t all;

    check_begin(&check, "AlltoAllAllGatherBatchMatMul");
    if (!y1Out)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    batch_check(&check, &call);
    check_that(&check, actType >= 0 && actType < ACTS && (actType || !y3OutOptional));
    check_sizes(&check);
    batch_check_bias(&check, biasOptional, t->n);
    check_output(&check, Y1, y1Out, t->n);
    if (y2OutOptional)
        check_output(&check, Y2, y2OutOptional, t->k);
    if (y3OutOptional)
        check_output(&check, Y3, y3OutOptional, t->n);
    if (check.status)
        return check.status;
    t->number[ACTIVATION] = actType;
    batch_check_turns(&check);
    all = t->turns * (uint64_t)epWorldSize * piece(t);
    t->workspace_at[RECEIVED] = check_workspace(&check, batch_bytes(t, all));
    all *= (uint64_t)tpWorldSize;
    t->workspace_at[GATHERED] = check_workspace(&check, batch_bytes(t, all));
    if (!y2OutOptional)
        t->workspace_at[ROWS_AT] = check_workspace(&check, batch_bytes(t, all));
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnAlltoAllAllGatherBatchMatMul);
