/* allto_allv_grouped_mat_mul.c - tokens go to the ranks of their experts, each expert
 * multiplies its tokens with its weight
 *
 * While the tokens of expert j arrive, the cores multiply those of expert j - 1. mx
 * scales of the tokens are transferred before the tokens, in turns of their own. */
#include <aclnnop/aclnn_allto_allv_grouped_mat_mul.h>
#include <aclnnop/aclnn_allto_allv_grouped_mat_mul_v2.h>
#include <aclnnop/aclnn_allto_allv_quant_grouped_mat_mul.h>
#include <aclnnop/aclnn_allto_allv_quant_grouped_mat_mul_v2.h>

#include "sim/fused/shared/experts.h"
#include "sim/fused/shared/number.h"

enum { PERMUTED = EXPERTS_OWN };
enum { PERMUTED_AT, SCALES_AT };     /* indexes of workspace_at */
enum { HAS_MX = FACTOR_OWN_NUMBER }; /* 1: each expert has a turn for its scales */

static uint64_t permuted(const struct body *body)
{
    const struct mc2_tensor *tensor = &body->tiling->tensor[PERMUTED];

    return tensor->address ? tensor->address
                           : body->workspace + body->tiling->workspace_at[PERMUTED_AT];
}

static uint64_t scales_at(const struct body *body)
{
    return body->workspace + body->tiling->workspace_at[SCALES_AT];
}

static uint32_t expert_of(const struct mc2_tiling *t, uint32_t turn)
{
    return t->number[HAS_MX] ? turn / 2 : turn;
}

static bool moves_scales(const struct mc2_tiling *t, uint32_t turn)
{
    return t->number[HAS_MX] && turn % 2 == 0;
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t ranks = body->context->ranks, e = experts_of(t, ranks);
    uint32_t expert = expert_of(t, turn);
    bool is_scale = moves_scales(t, turn);
    uint64_t row =
        is_scale ? (t->k + 63) / 64 * 2 : number_bytes(t->tensor[FACTOR_X1].type, t->k);
    uint64_t from = t->tensor[is_scale ? FACTOR_X1_SCALE : FACTOR_X1].address;
    uint64_t into = is_scale ? scales_at(body) : permuted(body);

    for (uint32_t rank = 0; rank < ranks; rank++)
        parts[rank] = (struct npu_sim_part){
            from + row * experts_before(experts_sends(t), rank, expert, ranks, e, true),
            row * experts_sent(t, rank, expert, e),
            into + row * experts_before(experts_receives(t), rank, expert, ranks, e,
                                        false),
            row * experts_received(t, rank, expert, e)};
}

static uint64_t first_row(const struct body *body, uint32_t expert)
{
    uint32_t ranks = body->context->ranks;

    return experts_before(experts_receives(body->tiling), 0, expert, ranks,
                          experts_of(body->tiling, ranks), false);
}

static uint64_t rows(const struct body *body, uint32_t turn)
{
    uint32_t expert = expert_of(body->tiling, turn);

    return moves_scales(body->tiling, turn)
               ? 0
               : first_row(body, expert + 1) - first_row(body, expert);
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *output = &t->tensor[FACTOR_OUTPUT];
    uint32_t expert = expert_of(t, turn);
    uint64_t first = first_row(body, expert) + from;

    experts_multiply(body, expert, permuted(body), scales_at(body), first,
                     first + to - from, output->type,
                     output->address + number_bytes(output->type, first * t->n));
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    experts_cost(body, body->tiling->rows, out);
}

static const struct fused_steps steps = {
    .parts = parts,
    .rows = rows,
    .compute = compute,
    .after = experts_second,
    .cost = cost,
};

FUSED_KERNELS(AlltoAllvGroupedMatMul, steps, 1);
FUSED_KERNELS(AlltoAllvQuantGroupedMatMul, steps, 1);

static aclnnStatus prepare(struct check *check,
                           const struct experts_call *call,
                           const aclTensor *output,
                           const aclTensor *out_rows,
                           bool has_rows,
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
    if (has_rows) {
        check_tensor(check, PERMUTED, out_rows, call->factors.left_types);
        check_dims2(check, PERMUTED, t->rows, t->k);
        check_dense(check, PERMUTED);
        check_type(check, PERMUTED, t->tensor[FACTOR_X1].type);
    }
    if (check->status)
        return check->status;
    if (t->tensor[FACTOR_X1_SCALE].dims == 3) {
        t->number[HAS_MX] = 1;
        check_turns(check, t->turns * 2, t->rows);
        t->workspace_at[SCALES_AT] =
            check_workspace(check, t->rows * ((t->k + 63) / 64 * 2));
    }
    t->workspace_at[PERMUTED_AT] =
        check_workspace(check, number_bytes(t->tensor[FACTOR_X1].type, t->rows * t->k));
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
        .absent = {sendCountsTensorOptional, recvCountsTensorOptional, NULL},          \
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
aclnnAlltoAllvGroupedMatMulGetWorkspaceSize(const aclTensor *gmmX,
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
                                            bool permuteOutFlag,
                                            aclTensor *gmmY,
                                            aclTensor *mmYOptional,
                                            aclTensor *permuteOutOptional,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "AlltoAllvGroupedMatMul");
    return prepare(&check, PLAIN, gmmY, permuteOutOptional, permuteOutFlag,
                   workspaceSize, executor);
}

aclnnStatus
aclnnAlltoAllvGroupedMatMulV2GetWorkspaceSize(const aclTensor *gmmX,
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
                                              bool permuteOutFlag,
                                              aclTensor *gmmY,
                                              aclTensor *mmYOptional,
                                              aclTensor *permuteOutOptional,
                                              uint64_t *workspaceSize,
                                              aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "AlltoAllvGroupedMatMul");
    check_comm_mode(&check, commMode);
    return prepare(&check, PLAIN, gmmY, permuteOutOptional, permuteOutFlag,
                   workspaceSize, executor);
}

aclnnStatus aclnnAlltoAllvQuantGroupedMatMulGetWorkspaceSize(
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
    int64_t gmmXQuantMode,
    int64_t gmmWeightQuantMode,
    int64_t mmXQuantMode,
    int64_t mmWeightQuantMode,
    const char *group,
    int64_t epWorldSize,
    const aclIntArray *sendCounts,
    const aclIntArray *recvCounts,
    bool transGmmWeight,
    bool transMmWeight,
    int64_t groupSize,
    bool permuteOutFlag,
    aclTensor *gmmY,
    aclTensor *mmYOptional,
    aclTensor *permuteOutOptional,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "AlltoAllvQuantGroupedMatMul");
    check_modes(&check, gmmXQuantMode, gmmWeightQuantMode, groupSize);
    check_that(&check, mmXQuantMode == mmWeightQuantMode);
    return prepare(&check, QUANT, gmmY, permuteOutOptional, permuteOutFlag,
                   workspaceSize, executor);
}

aclnnStatus aclnnAlltoAllvQuantGroupedMatMulV2GetWorkspaceSize(
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
    int64_t gmmXQuantMode,
    int64_t gmmWeightQuantMode,
    int64_t mmXQuantMode,
    int64_t mmWeightQuantMode,
    const char *group,
    const char *commMode,
    int64_t epWorldSize,
    const aclIntArray *sendCounts,
    const aclIntArray *recvCounts,
    bool transGmmWeight,
    bool transMmWeight,
    int64_t groupSize,
    bool permuteOutFlag,
    aclTensor *gmmY,
    aclTensor *mmYOptional,
    aclTensor *permuteOutOptional,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "AlltoAllvQuantGroupedMatMul");
    check_comm_mode(&check, commMode);
    check_modes(&check, gmmXQuantMode, gmmWeightQuantMode, groupSize);
    check_that(&check, mmXQuantMode == mmWeightQuantMode);
    return prepare(&check, QUANT, gmmY, permuteOutOptional, permuteOutFlag,
                   workspaceSize, executor);
}

FUSED_RUN(aclnnAlltoAllvGroupedMatMul);
FUSED_RUN(aclnnAlltoAllvGroupedMatMulV2);
FUSED_RUN(aclnnAlltoAllvQuantGroupedMatMul);
FUSED_RUN(aclnnAlltoAllvQuantGroupedMatMulV2);
