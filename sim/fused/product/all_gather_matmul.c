/* all_gather_matmul.c - output = (the rows of all ranks of x1) x x2
 *
 * In each turn the same rows of all ranks are gathered. The cores multiply them while
 * the next rows are transferred. Version 2 has scales. Scales of rows or of groups are
 * gathered in a turn of their own, before the rows. */
#include <aclnnop/aclnn_all_gather_matmul.h>
#include <aclnnop/aclnn_all_gather_matmul_v2.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"
#include "sim/fused/shared/table.h"
#include "sim/hccl/server.h"

enum { GATHERED = FACTOR_OWN };
enum { GATHERED_AT, SCALES_AT };          /* indexes of workspace_at */
enum { SCALE_TURNS = FACTOR_OWN_NUMBER }; /* 1: the first turn gathers scales */

static uint64_t gathered(const struct body *body)
{
    const struct mc2_tensor *tensor = &body->tiling->tensor[GATHERED];

    return tensor->address ? tensor->address
                           : body->workspace + body->tiling->workspace_at[GATHERED_AT];
}

static uint64_t scale_bytes(const struct mc2_tiling *tiling)
{
    const struct mc2_tensor *scales = &tiling->tensor[FACTOR_X1_SCALE];
    uint64_t count = 1;

    for (uint32_t i = 0; i < scales->dims; i++)
        count *= scales->dim[i];
    return number_bytes(scales->type, count);
}

/* Returns the gathered scales of a rank, in the shape in which it gave them. */
static struct mc2_tensor scales_of(const struct body *body, uint32_t rank)
{
    const struct mc2_tiling *t = body->tiling;
    struct mc2_tensor scales = t->tensor[FACTOR_X1_SCALE];

    scales.address =
        body->workspace + t->workspace_at[SCALES_AT] + rank * scale_bytes(t);
    return scales;
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *x1 = &t->tensor[FACTOR_X1];
    uint32_t tile = turn - (uint32_t)t->number[SCALE_TURNS];
    bool has_scales = turn < t->number[SCALE_TURNS];
    uint64_t from = t->tensor[FACTOR_X1_SCALE].address, at = 0;
    uint64_t bytes = scale_bytes(t), into = scales_of(body, 0).address;
    uint64_t step = bytes;

    if (!has_scales) {
        at = number_bytes(x1->type, body_first_row(t, tile) * t->k);
        bytes = number_bytes(x1->type, body_turn_rows(t, tile) * t->k);
        step = number_bytes(x1->type, t->m * t->k);
        from = x1->address;
        into = gathered(body);
    }
    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank] =
            (struct npu_sim_part){from + at, bytes, into + rank * step + at, bytes};
}

static uint64_t rows(const struct body *body, uint32_t turn)
{
    uint32_t scale_turns = (uint32_t)body->tiling->number[SCALE_TURNS];

    return turn < scale_turns ? 0 : body_turn_rows(body->tiling, turn - scale_turns);
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *output = &t->tensor[FACTOR_OUTPUT];
    struct product *product = body->state;
    struct linear *linear = &product->linear;
    const struct mc2_tensor **scale =
        linear->left_groups.scale ? &linear->left_groups.scale : &linear->row_scale;
    uint64_t first = body_first_row(t, turn - (uint32_t)t->number[SCALE_TURNS]);

    for (uint32_t rank = 0; rank < body->context->ranks && to > from; rank++) {
        product->scale = scales_of(body, rank);
        if (t->number[SCALE_TURNS])
            *scale = &product->scale;
        for (uint64_t i = first + from; i < first + to; i++) {
            uint64_t row = rank * t->m + i;

            linear_row(product->rows, gathered(body), row * t->k, 1, i, product->row);
            product_store(output->type, output->address, row, t->n, product->row);
        }
    }
}

static void message(const struct body *body, struct mc2_message *message)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t step = t->tile * t->k;

    message->command = NPU_SIM_ALL_GATHER;
    message->type = product_moved_type(t->tensor[FACTOR_X1].type);
    message->from = t->tensor[FACTOR_X1].address;
    message->into = gathered(body);
    message->from_step = message->into_step =
        number_bytes(t->tensor[FACTOR_X1].type, step);
    message->count = step;
    message->last_count = body_turn_rows(t, t->turns - 1) * t->k;
    message->stride = t->m * t->k;
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    product_cost(body, body->tiling->m * body->context->ranks,
                 body->tiling->tensor[FACTOR_OUTPUT].address, out);
}

static const struct fused_steps steps = {
    .open = product_open,
    .close = product_close,
    .message = message,
    .compute = compute,
    .cost = cost,
};

static const struct fused_steps steps_v2 = {
    .open = product_open,
    .close = product_close,
    .parts = parts,
    .rows = rows,
    .compute = compute,
    .cost = cost,
};

FUSED_KERNELS(AllGatherMatmul, steps, 1);
FUSED_KERNELS(AllGatherMatmulV2, steps_v2, 1);

static void prepare(struct check *check,
                    const struct factors *factors,
                    const aclTensor *output,
                    const aclTensor *all)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t ranks;

    check->call.skips_without_workspace = true;
    factors_check(check, factors);
    check_dense(check, FACTOR_X1);
    ranks = check_ranks(check);
    factors_check_scales(check, factors, t->m);
    check_tensor(check, FACTOR_OUTPUT, output, CHECK_OUT);
    check_dense(check, FACTOR_OUTPUT);
    check_tensor(check, GATHERED, all, factors->left_types);
    if (check->status)
        return;
    check_type(check, GATHERED, t->tensor[FACTOR_X1].type);
    if (!factors->x1_scale && !factors->x2_scale)
        check_type(check, FACTOR_OUTPUT, t->tensor[FACTOR_X1].type);
    if (check_elements(check, GATHERED) == 0) {
        t->tensor[GATHERED].address = 0;
        t->workspace_at[GATHERED_AT] = check_workspace(
            check, number_bytes(t->tensor[FACTOR_X1].type, ranks * t->m * t->k));
    } else {
        check_dims2(check, GATHERED, t->m * ranks, t->k);
        check_dense(check, GATHERED);
    }
    if (!product_is_empty(check))
        check_dims2(check, FACTOR_OUTPUT, t->m * ranks, t->n);
    check_cut(check, t->m, number_bytes(t->tensor[FACTOR_X1].type, t->k));
}

aclnnStatus aclnnAllGatherMatmulGetWorkspaceSize(const aclTensor *x1,
                                                 const aclTensor *x2,
                                                 const aclTensor *bias,
                                                 const char *group,
                                                 int64_t gatherIndex,
                                                 int64_t commTurn,
                                                 int64_t streamMode,
                                                 const aclTensor *output,
                                                 const aclTensor *gatherOut,
                                                 uint64_t *workspaceSize,
                                                 aclOpExecutor **executor)
{
    const struct factors factors = {.x1 = x1,
                                    .x2 = x2,
                                    .bias = bias,
                                    .left_types = CHECK_HALF,
                                    .right_types = CHECK_HALF};
    struct check check;

    check_begin(&check, table_type("AllGatherMatmul", "AllGatherMatmulV2"));
    check_group(&check, group, NULL, commTurn, streamMode);
    check_that(&check, gatherIndex == 0);
    prepare(&check, &factors, output, gatherOut);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnAllGatherMatmulV2GetWorkspaceSize(const aclTensor *x1,
                                                   const aclTensor *x2,
                                                   const aclTensor *bias,
                                                   const aclTensor *x1Scale,
                                                   const aclTensor *x2Scale,
                                                   const aclTensor *quantScale,
                                                   int64_t blockSize,
                                                   const char *group,
                                                   int64_t gatherIndex,
                                                   int64_t commTurn,
                                                   int64_t streamMode,
                                                   int64_t groupSize,
                                                   const char *commMode,
                                                   aclTensor *output,
                                                   aclTensor *gatherOut,
                                                   aclTensor *amaxOut,
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
                                    .left_types = types,
                                    .right_types = types};
    struct mc2_tiling *t;
    struct check check;

    check_begin(&check, "AllGatherMatmulV2");
    t = &check.call.tiling;
    check_group(&check, group, NULL, commTurn, streamMode);
    check_comm_mode(&check, commMode);
    check_that(&check, gatherIndex == 0 && blockSize == 0);
    check_absent(&check, quantScale);
    check_absent(&check, amaxOut);
    prepare(&check, &factors, output, gatherOut);
    if (!check.status && check_elements(&check, FACTOR_X1_SCALE) > 1 && x1Scale) {
        check_that(&check, t->tensor[FACTOR_X1_SCALE].type == ACL_FLOAT ||
                               t->tensor[FACTOR_X1_SCALE].type == ACL_FLOAT8_E8M0);
        t->workspace_at[SCALES_AT] =
            check_workspace(&check, check.ranks * scale_bytes(t));
        t->number[SCALE_TURNS] = 1;
        t->turns++;
    }
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnAllGatherMatmul);
FUSED_RUN(aclnnAllGatherMatmulV2);
