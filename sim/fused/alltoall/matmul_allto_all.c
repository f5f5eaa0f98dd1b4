/* matmul_allto_all.c - x1 x x2, whose columns go to the ranks
 *
 * The output of rank r has, one below the other, the columns of part r of the products
 * of all ranks. The cores write each part of the columns in one piece. */
#include <aclnnop/aclnn_matmul_allto_all.h>
#include <aclnnop/aclnn_matmul_allto_all_v2.h>
#include <aclnnop/aclnn_quant_matmul_allto_all.h>
#include <aclnnop/aclnn_quant_matmul_allto_all_v2.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"

enum { PRODUCT_AT }; /* index of workspace_at */

static uint64_t product_at(const struct body *body)
{
    return body->workspace + body->tiling->workspace_at[PRODUCT_AT];
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t first = body_first_row(t, turn), part = t->n / body->context->ranks;

    for (uint64_t row = first + from; row < first + to; row++) {
        const float *values = product_row(body->state, t, row);

        for (uint32_t rank = 0; rank < body->context->ranks; rank++)
            product_store(t->tensor[FACTOR_OUTPUT].type, product_at(body),
                          rank * t->m + row, part, values + rank * part);
    }
}

static void parts(const struct body *body, uint32_t turn, struct npu_sim_part *parts)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *output = &t->tensor[FACTOR_OUTPUT];
    uint64_t row = number_bytes(output->type, t->n / body->context->ranks);
    uint64_t first = body_first_row(t, turn) * row;
    uint64_t bytes = body_turn_rows(t, turn) * row;

    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        parts[rank] =
            (struct npu_sim_part){product_at(body) + rank * t->m * row + first, bytes,
                                  output->address + rank * t->m * row + first, bytes};
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    product_cost(body, body->tiling->m, product_at(body), out);
}

static const struct fused_steps steps = {
    .open = product_open,
    .close = product_close,
    .parts = parts,
    .computes_first = true,
    .compute = compute,
    .cost = cost,
};

FUSED_KERNELS(MatmulAlltoAll, steps, 1);

static aclnnStatus prepare(struct check *check,
                           const struct factors *factors,
                           bool transposes_x1,
                           const aclIntArray *axes,
                           const aclTensor *output,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t ranks;

    check_that(check, !transposes_x1);
    check_axes(check, axes, -1, -2);
    factors_check(check, factors);
    factors_check_scales(check, factors, t->m);
    ranks = check_ranks(check);
    check_that(check, ranks && t->n % ranks == 0);
    check_tensor(check, FACTOR_OUTPUT, output, CHECK_OUT);
    check_dense(check, FACTOR_OUTPUT);
    if (check->status)
        return check->status;
    check_dims2(check, FACTOR_OUTPUT, ranks * t->m, t->n / ranks);
    if (!factors->x1_scale)
        check_type(check, FACTOR_OUTPUT, t->tensor[FACTOR_X1].type);
    product_is_empty(check);
    t->workspace_at[PRODUCT_AT] = check_workspace(
        check, number_bytes(t->tensor[FACTOR_OUTPUT].type, t->m * t->n));
    check_cut(check, t->m, number_bytes(t->tensor[FACTOR_OUTPUT].type, t->n));
    return check_end(check, size, executor);
}

static void begin(struct check *check, const char *group, bool transposes_x2)
{
    check_begin(check, "MatmulAlltoAll");
    check_group(check, group, NULL, 0, 1);
    check->is_x2_transposed = transposes_x2;
}

#define PLAIN                                                                          \
    &(const struct factors)                                                            \
    {                                                                                  \
        .x1 = x1, .x2 = x2, .bias = biasOptional, .left_types = CHECK_HALF,            \
        .right_types = CHECK_HALF                                                      \
    }
#define QUANT                                                                          \
    &(const struct factors)                                                            \
    {                                                                                  \
        .x1 = x1, .x2 = x2, .bias = biasOptional, .x1_scale = x1Scale,                 \
        .x2_scale = x2Scale, .group_size = groupSize,                                  \
        .scales_first = scales_first(x1),                                              \
        .left_types = CHECK_SMALL_INT | CHECK_FLOAT8 | CHECK_FLOAT4,                   \
        .right_types = CHECK_SMALL_INT | CHECK_FLOAT8 | CHECK_FLOAT4                   \
    }

/* Integer factors are scaled before the bias is added, others after it. */
static bool scales_first(const aclTensor *x1)
{
    return npu_sim_tensor_of(x1) && number_is_int((int32_t)x1->type);
}

aclnnStatus aclnnMatmulAlltoAllGetWorkspaceSize(const aclTensor *x1,
                                                const aclTensor *x2,
                                                const aclTensor *biasOptional,
                                                const aclIntArray *alltoAllAxesOptional,
                                                const char *group,
                                                bool transposeX1,
                                                bool transposeX2,
                                                const aclTensor *output,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    struct check check;

    begin(&check, group, transposeX2);
    return prepare(&check, PLAIN, transposeX1, alltoAllAxesOptional, output,
                   workspaceSize, executor);
}

aclnnStatus
aclnnMatmulAlltoAllV2GetWorkspaceSize(const aclTensor *x1,
                                      const aclTensor *x2,
                                      const aclTensor *biasOptional,
                                      const aclIntArray *alltoAllAxesOptional,
                                      const char *group,
                                      const char *commMode,
                                      bool transposeX1,
                                      bool transposeX2,
                                      const aclTensor *output,
                                      uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    struct check check;

    begin(&check, group, transposeX2);
    check_comm_mode(&check, commMode);
    return prepare(&check, PLAIN, transposeX1, alltoAllAxesOptional, output,
                   workspaceSize, executor);
}

static void begin_quant(struct check *check,
                        const aclTensor *const *absent,
                        const aclTensor *x1_scale,
                        const aclTensor *x2_scale,
                        int64_t mode,
                        int64_t type)
{
    for (int i = 0; i < 3; i++)
        check_absent(check, absent[i]);
    if (!x1_scale || !x2_scale)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_that(check, mode == 0 && type == -1);
}

aclnnStatus
aclnnQuantMatmulAlltoAllGetWorkspaceSize(const aclTensor *x1,
                                         const aclTensor *x2,
                                         const aclTensor *biasOptional,
                                         const aclTensor *x1Scale,
                                         const aclTensor *x2Scale,
                                         const aclTensor *commScaleOptional,
                                         const aclTensor *x1OffsetOptional,
                                         const aclTensor *x2OffsetOptional,
                                         const aclIntArray *alltoAllAxesOptional,
                                         const char *group,
                                         int64_t x1QuantMode,
                                         int64_t x2QuantMode,
                                         int64_t commQuantMode,
                                         int64_t commQuantDtype,
                                         int64_t groupSize,
                                         bool transposeX1,
                                         bool transposeX2,
                                         const aclTensor *output,
                                         uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    const aclTensor *const absent[] = {commScaleOptional, x1OffsetOptional,
                                       x2OffsetOptional};
    struct check check;

    begin(&check, group, transposeX2);
    check_quant_modes(&check, x1QuantMode, x2QuantMode, groupSize);
    begin_quant(&check, absent, x1Scale, x2Scale, commQuantMode, commQuantDtype);
    return prepare(&check, QUANT, transposeX1, alltoAllAxesOptional, output,
                   workspaceSize, executor);
}

aclnnStatus
aclnnQuantMatmulAlltoAllV2GetWorkspaceSize(const aclTensor *x1,
                                           const aclTensor *x2,
                                           const aclTensor *biasOptional,
                                           const aclTensor *x1Scale,
                                           const aclTensor *x2Scale,
                                           const aclTensor *commScaleOptional,
                                           const aclTensor *x1OffsetOptional,
                                           const aclTensor *x2OffsetOptional,
                                           const aclIntArray *alltoAllAxesOptional,
                                           const char *group,
                                           const char *commMode,
                                           int64_t x1QuantMode,
                                           int64_t x2QuantMode,
                                           int64_t commQuantMode,
                                           int64_t commQuantDtype,
                                           int64_t groupSize,
                                           bool transposeX1,
                                           bool transposeX2,
                                           const aclTensor *output,
                                           uint64_t *workspaceSize,
                                           aclOpExecutor **executor)
{
    const aclTensor *const absent[] = {commScaleOptional, x1OffsetOptional,
                                       x2OffsetOptional};
    struct check check;

    begin(&check, group, transposeX2);
    check_comm_mode(&check, commMode);
    check_quant_modes(&check, x1QuantMode, x2QuantMode, groupSize);
    begin_quant(&check, absent, x1Scale, x2Scale, commQuantMode, commQuantDtype);
    return prepare(&check, QUANT, transposeX1, alltoAllAxesOptional, output,
                   workspaceSize, executor);
}

FUSED_RUN(aclnnMatmulAlltoAll);
FUSED_RUN(aclnnMatmulAlltoAllV2);
FUSED_RUN(aclnnQuantMatmulAlltoAll);
FUSED_RUN(aclnnQuantMatmulAlltoAllV2);
