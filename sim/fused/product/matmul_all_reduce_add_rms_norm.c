/* matmul_all_reduce_add_rms_norm.c - y = the sum over all ranks of x1 x x2, plus a
 * residual; normOut = its norm
 *
 * The product is summed over the ranks in the workspace. At the end the vector cores
 * add it to the residual and write the norm. The functions named Inplace write y over
 * the residual, so a second run on the same memory gives a different result. */
#include <aclnnop/aclnn_inplace_matmul_all_reduce_add_rms_norm.h>
#include <aclnnop/aclnn_inplace_quant_matmul_all_reduce_add_rms_norm.h>
#include <aclnnop/aclnn_inplace_weight_quant_matmul_all_reduce_add_rms_norm.h>
#include <aclnnop/aclnn_matmul_all_reduce_add_rms_norm.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce_add_rms_norm.h>
#include <aclnnop/aclnn_weight_quant_matmul_all_reduce_add_rms_norm.h>
#include <math.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/reduced.h"

enum {
    RESIDUAL = REDUCED_OWN,
    GAMMA,
    Y,
    NORM,
};

static float sum_at(const struct body *body, uint64_t i)
{
    return number_get(body->tiling->tensor[RESIDUAL].type, reduced_sums(body), i);
}

static void add_and_norm(const struct body *body, uint64_t row)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *residual = &t->tensor[RESIDUAL],
                            *gamma = &t->tensor[GAMMA];
    const struct mc2_tensor *y = &t->tensor[Y], *norm = &t->tensor[NORM];
    float squares = 0, scale;

    for (uint64_t i = row * t->n; i < (row + 1) * t->n; i++) {
        float value =
            number_get(residual->type, residual->address, i) + sum_at(body, i);

        number_put(y->type, y->address, i, value);
        value = number_get(y->type, y->address, i);
        squares += value * value;
    }
    scale = 1.0f / sqrtf(squares / (float)t->n + (float)t->epsilon);
    for (uint64_t j = 0; j < t->n; j++)
        number_put(norm->type, norm->address, row * t->n + j,
                   number_get(y->type, y->address, row * t->n + j) * scale *
                       number_get(gamma->type, gamma->address, j));
}

static void after(const struct body *body)
{
    for (uint64_t row = 0; row < body->tiling->m; row++)
        add_and_norm(body, row);
}

static void compute(const struct body *body, uint32_t turn, uint64_t from, uint64_t to)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t first = body_first_row(t, turn);

    for (uint64_t row = first + from; row < first + to; row++)
        product_store(t->tensor[RESIDUAL].type, reduced_sums(body), row, t->n,
                      product_row(body->state, t, row));
}

static void message(const struct body *body, struct mc2_message *message)
{
    const struct mc2_tiling *t = body->tiling;

    reduced_message(body, message);
    message->type = product_moved_type(t->tensor[RESIDUAL].type);
    message->from_step = message->into_step =
        number_bytes(t->tensor[RESIDUAL].type, t->tile * t->n);
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t bytes = t->m * t->n * 2;

    reduced_cost(body, out);
    body_vector_cost(body, t->tensor[RESIDUAL].address, 2 * bytes, 2 * bytes, out);
    for (int i = 0; i < 2; i++)
        out->vector[i].vector_fp32 += t->m * t->n * 4 / body->blocks / 2;
}

static const struct fused_steps steps = {
    .open = product_open,
    .close = product_close,
    .message = message,
    .computes_first = true,
    .compute = compute,
    .after = after,
    .cost = cost,
};

FUSED_KERNELS(MatmulAllReduceAddRmsNorm, steps, 1);

struct norm {
    const aclTensor *residual, *gamma, *y, *norm;
    double epsilon;
};

static void check_like(struct check *check, uint32_t slot, const aclTensor *tensor)
{
    const struct mc2_tiling *t = &check->call.tiling;

    check_tensor(check, slot, tensor, CHECK_HALF);
    check_type(check, slot, check_at(check, RESIDUAL)->type);
    check_count(check, slot, t->m * t->n);
    check_flatten(check, slot);
    check_dims2(check, slot, t->m, t->n);
}

static aclnnStatus prepare(struct reduced *reduced,
                           const struct norm *norm,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    bool is_quantised = reduced->factors.x2_scale && !reduced->factors.is_weight;
    struct check check;

    check_begin(&check, "MatmulAllReduceAddRmsNorm");
    check.call.skips_without_workspace = true;
    reduced_check(&check, reduced);
    check_like(&check, RESIDUAL, norm->residual);
    check_like(&check, Y, norm->y);
    check_like(&check, NORM, norm->norm);
    check_tensor(&check, GAMMA, norm->gamma, CHECK_HALF);
    check_type(&check, GAMMA, check_at(&check, RESIDUAL)->type);
    check_count(&check, GAMMA, check.call.tiling.n);
    check_that(&check, norm->epsilon > 0 && norm->epsilon < 1);
    if (!is_quantised)
        check_type(&check, RESIDUAL, check_at(&check, FACTOR_X1)->type);
    check.call.tiling.epsilon = norm->epsilon;
    return check_end(&check, size, executor);
}

#define REDUCTION                                                                      \
    .group = group, .reduce = reduceOp, .turns = commTurn, .stream_mode = streamMode

#define PLAIN                                                                          \
    &(struct reduced)                                                                  \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = bias,                                                      \
                    .left_types = CHECK_HALF,                                          \
                    .right_types = CHECK_HALF},                                        \
        REDUCTION                                                                      \
    }
#define QUANT                                                                          \
    &(struct reduced)                                                                  \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = bias,                                                      \
                    .x2_scale = dequantScale,                                          \
                    .left_types = CHECK_TYPE(ACL_INT8),                                \
                    .right_types = CHECK_TYPE(ACL_INT8)},                              \
        REDUCTION                                                                      \
    }
#define WEIGHT                                                                         \
    &(struct reduced)                                                                  \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = bias,                                                      \
                    .x2_scale = antiquantScale,                                        \
                    .offset = antiquantOffset,                                         \
                    .group_size = antiquantGroupSize,                                  \
                    .is_weight = true,                                                 \
                    .left_types = CHECK_HALF,                                          \
                    .right_types = CHECK_SMALL_INT},                                   \
        REDUCTION                                                                      \
    }
#define NORM_INTO(into)                                                                \
    &(struct norm)                                                                     \
    {                                                                                  \
        .residual = residual, .gamma = gamma, .y = into, .norm = normOut,              \
        .epsilon = epsilon                                                             \
    }

aclnnStatus aclnnMatmulAllReduceAddRmsNormGetWorkspaceSize(const aclTensor *x1,
                                                           const aclTensor *x2,
                                                           const aclTensor *bias,
                                                           const aclTensor *residual,
                                                           const aclTensor *gamma,
                                                           double epsilon,
                                                           const char *group,
                                                           const char *reduceOp,
                                                           int64_t commTurn,
                                                           int64_t streamMode,
                                                           const aclTensor *y,
                                                           const aclTensor *normOut,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor)
{
    return prepare(PLAIN, NORM_INTO(y), workspaceSize, executor);
}

FUSED_RUN(aclnnMatmulAllReduceAddRmsNorm);

aclnnStatus
aclnnInplaceMatmulAllReduceAddRmsNormGetWorkspaceSize(const aclTensor *x1,
                                                      const aclTensor *x2,
                                                      const aclTensor *bias,
                                                      const aclTensor *residual,
                                                      const aclTensor *gamma,
                                                      double epsilon,
                                                      const char *group,
                                                      const char *reduceOp,
                                                      int64_t commTurn,
                                                      int64_t streamMode,
                                                      const aclTensor *normOut,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    return prepare(PLAIN, NORM_INTO(residual), workspaceSize, executor);
}

FUSED_RUN(aclnnInplaceMatmulAllReduceAddRmsNorm);

aclnnStatus
aclnnQuantMatmulAllReduceAddRmsNormGetWorkspaceSize(const aclTensor *x1,
                                                    const aclTensor *x2,
                                                    const aclTensor *bias,
                                                    const aclTensor *dequantScale,
                                                    const aclTensor *residual,
                                                    const aclTensor *gamma,
                                                    double epsilon,
                                                    const char *group,
                                                    const char *reduceOp,
                                                    int64_t commTurn,
                                                    int64_t streamMode,
                                                    const aclTensor *y,
                                                    const aclTensor *normOut,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor)
{
    if (!dequantScale)
        return ACLNN_ERR_PARAM_NULLPTR;
    return prepare(QUANT, NORM_INTO(y), workspaceSize, executor);
}

FUSED_RUN(aclnnQuantMatmulAllReduceAddRmsNorm);

aclnnStatus aclnnInplaceQuantMatmulAllReduceAddRmsNormGetWorkspaceSize(
    const aclTensor *x1,
    const aclTensor *x2,
    const aclTensor *bias,
    const aclTensor *dequantScale,
    const aclTensor *residual,
    const aclTensor *gamma,
    double epsilon,
    const char *group,
    const char *reduceOp,
    int64_t commTurn,
    int64_t streamMode,
    const aclTensor *normOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    if (!dequantScale)
        return ACLNN_ERR_PARAM_NULLPTR;
    return prepare(QUANT, NORM_INTO(residual), workspaceSize, executor);
}

FUSED_RUN(aclnnInplaceQuantMatmulAllReduceAddRmsNorm);

aclnnStatus aclnnWeightQuantMatmulAllReduceAddRmsNormGetWorkspaceSize(
    const aclTensor *x1,
    const aclTensor *x2,
    const aclTensor *bias,
    const aclTensor *antiquantScale,
    const aclTensor *antiquantOffset,
    const aclTensor *residual,
    const aclTensor *gamma,
    double epsilon,
    const char *group,
    const char *reduceOp,
    int64_t commTurn,
    int64_t streamMode,
    int64_t antiquantGroupSize,
    const aclTensor *y,
    const aclTensor *normOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    if (!antiquantScale)
        return ACLNN_ERR_PARAM_NULLPTR;
    return prepare(WEIGHT, NORM_INTO(y), workspaceSize, executor);
}

FUSED_RUN(aclnnWeightQuantMatmulAllReduceAddRmsNorm);

aclnnStatus aclnnInplaceWeightQuantMatmulAllReduceAddRmsNormGetWorkspaceSize(
    const aclTensor *x1,
    const aclTensor *x2,
    const aclTensor *bias,
    const aclTensor *antiquantScale,
    const aclTensor *antiquantOffset,
    const aclTensor *residual,
    const aclTensor *gamma,
    double epsilon,
    const char *group,
    const char *reduceOp,
    int64_t commTurn,
    int64_t streamMode,
    int64_t antiquantGroupSize,
    const aclTensor *normOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    if (!antiquantScale)
        return ACLNN_ERR_PARAM_NULLPTR;
    return prepare(WEIGHT, NORM_INTO(residual), workspaceSize, executor);
}

FUSED_RUN(aclnnInplaceWeightQuantMatmulAllReduceAddRmsNorm);
