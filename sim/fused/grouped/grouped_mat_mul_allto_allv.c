/* grouped_mat_mul_allto_allv.c - each expert multiplies its tokens with its weight, the
 * products go to the ranks of the tokens
 *
 * While the products of expert j are transferred, the cores multiply the tokens of
 * expert j + 1. */
#include <aclnnop/aclnn_grouped_mat_mul_allto_allv.h>
#include <aclnnop/aclnn_grouped_mat_mul_allto_allv_v2.h>
#include <aclnnop/aclnn_quant_grouped_mat_mul_allto_allv.h>
#include <aclnnop/aclnn_quant_grouped_mat_mul_allto_allv_v2.h>

#include "sim/fused/shared/experts.h"
#include "sim/fused/shared/number.h"

enum { PRODUCT_AT }; /* index of workspace_at */

static uint64_t product_at(const struct body *body)
{
    return body->workspace + body->tiling->workspace_at[PRODUCT_AT];
}

static uint64_t first_row(const struct body *body, uint32_t expert)
{
    uint32_t ranks = body->context->ranks;

    return experts_before(experts_sends(body->tiling), 0, expert, ranks,
                          experts_of(body->tiling, ranks), false);
}

static uint64_t rows(const struct body *body, uint32_t turn)
{
    return first_row(body, turn + 1) - first_row(body, turn);
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    int32_t type = t->tensor[FACTOR_OUTPUT].type;
    uint64_t first = first_row(body, turn) + from;

    experts_multiply(body, turn, t->tensor[FACTOR_X1].address,
                     t->tensor[FACTOR_X1_SCALE].address, first, first + to - from, type,
                     product_at(body) + number_bytes(type, first * t->n));
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t ranks = body->context->ranks, e = experts_of(t, ranks);
    uint64_t row = number_bytes(t->tensor[FACTOR_OUTPUT].type, t->n);

    for (uint32_t rank = 0; rank < ranks; rank++)
        parts[rank] = (struct npu_sim_part){
            product_at(body) +
                row * experts_before(experts_sends(t), rank, turn, ranks, e, false),
            row * experts_sent(t, rank, turn, e),
            t->tensor[FACTOR_OUTPUT].address +
                row * experts_before(experts_receives(t), rank, turn, ranks, e, true),
            row * experts_received(t, rank, turn, e)};
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    experts_cost(body, body->tiling->m, out);
}

static const struct fused_steps steps = {
    .parts = parts,
    .computes_first = true,
    .rows = rows,
    .compute = compute,
    .after = experts_second,
    .cost = cost,
};

FUSED_KERNELS(GroupedMatMulAlltoAllv, steps, 1);
FUSED_KERNELS(QuantGroupedMatMulAlltoAllv, steps, 1);

static aclnnStatus prepare(struct check *check,
                           const struct experts_call *call,
                           const aclTensor *output,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    struct mc2_tiling *t = &check->call.tiling;

    experts_check(check, call);
    check_tensor(check, FACTOR_OUTPUT, output, CHECK_OUT);
    check_dims2(check, FACTOR_OUTPUT, t->rows, t->n);
    check_dense(check, FACTOR_OUTPUT);
    if (!call->is_quantised)
        check_type(check, FACTOR_OUTPUT, check_at(check, FACTOR_X1)->type);
    experts_check_end(check, call, check_at(check, FACTOR_OUTPUT)->type);
    t->workspace_at[PRODUCT_AT] = check_workspace(
        check,
        check->status ? 0 : number_bytes(t->tensor[FACTOR_OUTPUT].type, t->m * t->n));
    return check_end(check, size, executor);
}

#define PLAIN                                                                          \
    &(const struct experts_call)                                                       \
    {                                                                                  \
        .factors = {.x1 = gmmX,                                                        \
                    .x2 = gmmWeight,                                                   \
                    .left_types = CHECK_HALF,                                          \
                    .right_types = CHECK_HALF},                                        \
        .mm_x = mmXOptional, .mm_weight = mmWeightOptional, .mm_y = mmYOptional,       \
        .absent = {sendCountsTensorOptional, recvCountsTensorOptional, NULL},          \
        .group = group, .ranks = epWorldSize, .sends = sendCounts,                     \
        .receives = recvCounts, .transposes_weight = transGmmWeight,                   \
        .transposes_mm = transMmWeight                                                 \
    }
#define QUANT                                                                          \
    &(const struct experts_call)                                                       \
    {                                                                                  \
        .factors = {.x1 = gmmX,                                                        \
                    .x2 = gmmWeight,                                                   \
                    .x1_scale = gmmXScale,                                             \
                    .x2_scale = gmmWeightScale,                                        \
                    .left_types = CHECK_FLOAT8 | CHECK_FLOAT4,                         \
                    .right_types = CHECK_FLOAT8 | CHECK_FLOAT4},                       \
        .mm_x = mmXOptional, .mm_weight = mmWeightOptional, .mm_y = mmYOptional,       \
        .mm_x_scale = mmXScaleOptional, .mm_weight_scale = mmWeightScaleOptional,      \
        .absent = {sendCountsTensorOptional, recvCountsTensorOptional,                 \
                   commQuantScaleOptional},                                            \
        .group = group, .ranks = epWorldSize, .sends = sendCounts,                     \
        .receives = recvCounts, .transposes_weight = transGmmWeight,                   \
        .transposes_mm = transMmWeight, .is_quantised = true                           \
    }

static void
check_modes(struct check *check, int64_t x, int64_t weight, int64_t group_size)
{
    check_that(check, (x == 1 || x == 6) && x == weight && group_size == 0);
}

aclnnStatus
aclnnGroupedMatMulAlltoAllvGetWorkspaceSize(const aclTensor *gmmX,
                                            const aclTensor *gmmWeight,
                                            const aclTensor *sendCountsTensorOptional,
                                            const aclTensor *recvCountsTensorOptional,
                                            const aclTensor *mmXOptional,
                                            const aclTensor *mmWeightOptional,
                                            const char *group,
                                            int64_t epWorldSize,
                                            const aclIntArray *sendCounts,
                                            const aclIntArray *recvCounts,
                                            bool transGmmWeight,
                                            bool transMmWeight,
                                            aclTensor *y,
                                            aclTensor *mmYOptional,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "GroupedMatMulAlltoAllv");
    return prepare(&check, PLAIN, y, workspaceSize, executor);
}

aclnnStatus
aclnnGroupedMatMulAlltoAllvV2GetWorkspaceSize(const aclTensor *gmmX,
                                              const aclTensor *gmmWeight,
                                              const aclTensor *sendCountsTensorOptional,
                                              const aclTensor *recvCountsTensorOptional,
                                              const aclTensor *mmXOptional,
                                              const aclTensor *mmWeightOptional,
                                              const char *group,
                                              const char *commMode,
                                              int64_t epWorldSize,
                                              const aclIntArray *sendCounts,
                                              const aclIntArray *recvCounts,
                                              bool transGmmWeight,
                                              bool transMmWeight,
                                              aclTensor *y,
                                              aclTensor *mmYOptional,
                                              uint64_t *workspaceSize,
                                              aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "GroupedMatMulAlltoAllv");
    check_comm_mode(&check, commMode);
    return prepare(&check, PLAIN, y, workspaceSize, executor);
}

aclnnStatus aclnnQuantGroupedMatMulAlltoAllvGetWorkspaceSize(
    const aclTensor *gmmX,
    const aclTensor *gmmWeight,
    const aclTensor *gmmXScale,
    const aclTensor *gmmWeightScale,
    const aclTensor *sendCountsTensorOptional,
    const aclTensor *recvCountsTensorOptional,
    const aclTensor *mmXOptional,
    const aclTensor *mmWeightOptional,
    const aclTensor *mmXScaleOptional,
    const aclTensor *mmWeightScaleOptional,
    const aclTensor *commQuantScaleOptional,
    int64_t gmmXQuantMode,
    int64_t gmmWeightQuantMode,
    int64_t mmXQuantMode,
    int64_t mmWeightQuantMode,
    int64_t commQuantMode,
    int64_t commQuantDtypeOptional,
    int64_t groupSize,
    const char *group,
    int64_t epWorldSize,
    const aclIntArray *sendCounts,
    const aclIntArray *recvCounts,
    bool transGmmWeight,
    bool transMmWeight,
    const aclTensor *y,
    const aclTensor *mmYOptional,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "QuantGroupedMatMulAlltoAllv");
    check_modes(&check, gmmXQuantMode, gmmWeightQuantMode, groupSize);
    check_that(&check, mmXQuantMode == mmWeightQuantMode && commQuantMode == 0 &&
                           commQuantDtypeOptional == -1);
    return prepare(&check, QUANT, y, workspaceSize, executor);
}

aclnnStatus aclnnQuantGroupedMatMulAlltoAllvV2GetWorkspaceSize(
    const aclTensor *gmmX,
    const aclTensor *gmmWeight,
    const aclTensor *gmmXScale,
    const aclTensor *gmmWeightScale,
    const aclTensor *sendCountsTensorOptional,
    const aclTensor *recvCountsTensorOptional,
    const aclTensor *mmXOptional,
    const aclTensor *mmWeightOptional,
    const aclTensor *mmXScaleOptional,
    const aclTensor *mmWeightScaleOptional,
    const aclTensor *commQuantScaleOptional,
    int64_t gmmXQuantMode,
    int64_t gmmWeightQuantMode,
    int64_t mmXQuantMode,
    int64_t mmWeightQuantMode,
    int64_t commQuantMode,
    int64_t commQuantDtypeOptional,
    int64_t groupSize,
    const char *group,
    const char *commMode,
    int64_t epWorldSize,
    const aclIntArray *sendCounts,
    const aclIntArray *recvCounts,
    bool transGmmWeight,
    bool transMmWeight,
    const aclTensor *y,
    const aclTensor *mmYOptional,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "QuantGroupedMatMulAlltoAllv");
    check_comm_mode(&check, commMode);
    check_modes(&check, gmmXQuantMode, gmmWeightQuantMode, groupSize);
    check_that(&check, mmXQuantMode == mmWeightQuantMode && commQuantMode == 0 &&
                           commQuantDtypeOptional == -1);
    return prepare(&check, QUANT, y, workspaceSize, executor);
}

FUSED_RUN(aclnnGroupedMatMulAlltoAllv);
FUSED_RUN(aclnnGroupedMatMulAlltoAllvV2);
FUSED_RUN(aclnnQuantGroupedMatMulAlltoAllv);
FUSED_RUN(aclnnQuantGroupedMatMulAlltoAllvV2);
