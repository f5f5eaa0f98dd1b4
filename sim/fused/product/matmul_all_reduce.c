/* matmul_all_reduce.c - output = sum over all ranks of (x1 x x2 + bias + x3), with all
 * its variants for quantised factors
 *
 * dequantScale and pertokenScale apply to the product, antiquantScale to the right
 * factor before the product. */
#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <aclnnop/aclnn_matmul_all_reduce_v2.h>
#include <aclnnop/aclnn_matmul_all_reduce_v3.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce_v2.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce_v3.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce_v4.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce_v5.h>
#include <aclnnop/aclnn_weight_quant_matmul_all_reduce.h>
#include <aclnnop/aclnn_weight_quant_matmul_all_reduce_v2.h>

#include "sim/fused/shared/reduced.h"

static const struct fused_steps steps = {
    .open = product_open,
    .close = product_close,
    .message = reduced_message,
    .computes_first = true,
    .compute = reduced_compute,
    .after = reduced_after,
    .cost = reduced_cost,
};

FUSED_KERNELS(MatmulAllReduce, steps, 1);

/* mode: NULL for the functions without commMode. */
static aclnnStatus prepare(const struct reduced *reduced,
                           const char *mode,
                           bool has_mode,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    struct check check;

    check_begin(&check, "MatmulAllReduce");
    if (has_mode)
        check_comm_mode(&check, mode);
    if (!reduced->output)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    reduced_check(&check, reduced);
    return check_end(&check, size, executor);
}

#define REDUCTION                                                                      \
    .output = output, .group = group, .reduce = reduceOp, .turns = commTurn,           \
    .stream_mode = streamMode

#define PLAIN(third)                                                                   \
    &(struct reduced)                                                                  \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = bias,                                                      \
                    .left_types = CHECK_HALF,                                          \
                    .right_types = CHECK_HALF},                                        \
        .x3 = third, REDUCTION                                                         \
    }

aclnnStatus aclnnMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
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
    return prepare(PLAIN(NULL), NULL, false, workspaceSize, executor);
}

aclnnStatus aclnnMatmulAllReduceV2GetWorkspaceSize(const aclTensor *x1,
                                                   const aclTensor *x2,
                                                   const aclTensor *bias,
                                                   const aclTensor *x3,
                                                   const char *group,
                                                   const char *reduceOp,
                                                   int64_t commTurn,
                                                   int64_t streamMode,
                                                   const aclTensor *output,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    return prepare(PLAIN(x3), NULL, false, workspaceSize, executor);
}

aclnnStatus aclnnMatmulAllReduceV3GetWorkspaceSize(const aclTensor *x1,
                                                   const aclTensor *x2,
                                                   const aclTensor *bias,
                                                   const aclTensor *x3,
                                                   const char *group,
                                                   const char *reduceOp,
                                                   const char *commMode,
                                                   int64_t commTurn,
                                                   int64_t streamMode,
                                                   const aclTensor *output,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    return prepare(PLAIN(x3), commMode, true, workspaceSize, executor);
}

#define QUANT(token_scale, scale1, scale2)                                             \
    &(struct reduced)                                                                  \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = bias,                                                      \
                    .x1_scale = token_scale,                                           \
                    .x2_scale = dequantScale,                                          \
                    .left_types = CHECK_TYPE(ACL_INT8),                                \
                    .right_types = CHECK_TYPE(ACL_INT8)},                              \
        .x3 = x3, .comm_scale1 = scale1, .comm_scale2 = scale2, REDUCTION              \
    }

static aclnnStatus
prepare_quant(const struct reduced *reduced, uint64_t *size, aclOpExecutor **executor)
{
    return reduced->factors.x2_scale ? prepare(reduced, NULL, false, size, executor)
                                     : ACLNN_ERR_PARAM_NULLPTR;
}

aclnnStatus aclnnQuantMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
                                                      const aclTensor *x2,
                                                      const aclTensor *bias,
                                                      const aclTensor *x3,
                                                      const aclTensor *dequantScale,
                                                      const char *group,
                                                      const char *reduceOp,
                                                      int64_t commTurn,
                                                      int64_t streamMode,
                                                      const aclTensor *output,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    return prepare_quant(QUANT(NULL, NULL, NULL), workspaceSize, executor);
}

aclnnStatus
aclnnQuantMatmulAllReduceV2GetWorkspaceSize(const aclTensor *x1,
                                            const aclTensor *x2,
                                            const aclTensor *bias,
                                            const aclTensor *x3,
                                            const aclTensor *dequantScale,
                                            const aclTensor *pertokenScaleOptional,
                                            const char *group,
                                            const char *reduceOp,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            const aclTensor *output,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    return prepare_quant(QUANT(pertokenScaleOptional, NULL, NULL), workspaceSize,
                         executor);
}

aclnnStatus
aclnnQuantMatmulAllReduceV3GetWorkspaceSize(const aclTensor *x1,
                                            const aclTensor *x2,
                                            const aclTensor *bias,
                                            const aclTensor *x3,
                                            const aclTensor *dequantScale,
                                            const aclTensor *pertokenScaleOptional,
                                            const aclTensor *commQuantScale1Optional,
                                            const aclTensor *commQuantScale2Optional,
                                            const char *group,
                                            const char *reduceOp,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            const aclTensor *output,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    return prepare_quant(
        QUANT(pertokenScaleOptional, commQuantScale1Optional, commQuantScale2Optional),
        workspaceSize, executor);
}

#define QUANT_ANY                                                                      \
    &(struct reduced)                                                                  \
    {                                                                                  \
        .factors = {.x1 = x1,                                                          \
                    .x2 = x2,                                                          \
                    .bias = biasOptional,                                              \
                    .x1_scale = x1ScaleOptional,                                       \
                    .x2_scale = x2Scale,                                               \
                    .group_size = groupSize,                                           \
                    .left_types = CHECK_TYPE(ACL_INT8) | CHECK_FLOAT8 | CHECK_FLOAT4,  \
                    .right_types =                                                     \
                        CHECK_TYPE(ACL_INT8) | CHECK_FLOAT8 | CHECK_FLOAT4},           \
        .x3 = x3Optional, .comm_scale1 = commQuantScale1Optional,                      \
        .comm_scale2 = commQuantScale2Optional, REDUCTION                              \
    }

aclnnStatus
aclnnQuantMatmulAllReduceV4GetWorkspaceSize(const aclTensor *x1,
                                            const aclTensor *x2,
                                            const aclTensor *biasOptional,
                                            const aclTensor *x3Optional,
                                            const aclTensor *x1ScaleOptional,
                                            const aclTensor *x2Scale,
                                            const aclTensor *commQuantScale1Optional,
                                            const aclTensor *commQuantScale2Optional,
                                            const char *group,
                                            const char *reduceOp,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            int64_t groupSize,
                                            int64_t commQuantMode,
                                            const aclTensor *output,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    if (!x2Scale)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (commQuantMode != 0 && !commQuantScale1Optional)
        return ACLNN_ERR_PARAM_INVALID;
    return prepare(QUANT_ANY, NULL, false, workspaceSize, executor);
}

aclnnStatus
aclnnQuantMatmulAllReduceV5GetWorkspaceSize(const aclTensor *x1,
                                            const aclTensor *x2,
                                            const aclTensor *biasOptional,
                                            const aclTensor *x3Optional,
                                            const aclTensor *x1ScaleOptional,
                                            const aclTensor *x2Scale,
                                            const aclTensor *commQuantScale1Optional,
                                            const aclTensor *commQuantScale2Optional,
                                            const char *group,
                                            const char *reduceOp,
                                            const char *commMode,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            int64_t groupSize,
                                            int64_t commQuantMode,
                                            const aclTensor *output,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    if (!x2Scale)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (commQuantMode != 0 && !commQuantScale1Optional)
        return ACLNN_ERR_PARAM_INVALID;
    return prepare(QUANT_ANY, commMode, true, workspaceSize, executor);
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
                    .right_types = CHECK_SMALL_INT | CHECK_FLOAT8},                    \
        .x3 = x3, REDUCTION                                                            \
    }

aclnnStatus
aclnnWeightQuantMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
                                                const aclTensor *x2,
                                                const aclTensor *bias,
                                                const aclTensor *antiquantScale,
                                                const aclTensor *antiquantOffset,
                                                const aclTensor *x3,
                                                const char *group,
                                                const char *reduceOp,
                                                int64_t commTurn,
                                                int64_t streamMode,
                                                int64_t antiquantGroupSize,
                                                const aclTensor *output,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    return antiquantScale ? prepare(WEIGHT, NULL, false, workspaceSize, executor)
                          : ACLNN_ERR_PARAM_NULLPTR;
}

aclnnStatus
aclnnWeightQuantMatmulAllReduceV2GetWorkspaceSize(const aclTensor *x1,
                                                  const aclTensor *x2,
                                                  const aclTensor *bias,
                                                  const aclTensor *antiquantScale,
                                                  const aclTensor *antiquantOffset,
                                                  const aclTensor *x3,
                                                  const char *group,
                                                  const char *reduceOp,
                                                  const char *commMode,
                                                  int64_t commTurn,
                                                  int64_t streamMode,
                                                  int64_t antiquantGroupSize,
                                                  const aclTensor *output,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor)
{
    return antiquantScale ? prepare(WEIGHT, commMode, true, workspaceSize, executor)
                          : ACLNN_ERR_PARAM_NULLPTR;
}

FUSED_RUN(aclnnMatmulAllReduce);
FUSED_RUN(aclnnMatmulAllReduceV2);
FUSED_RUN(aclnnMatmulAllReduceV3);
FUSED_RUN(aclnnQuantMatmulAllReduce);
FUSED_RUN(aclnnQuantMatmulAllReduceV2);
FUSED_RUN(aclnnQuantMatmulAllReduceV3);
FUSED_RUN(aclnnQuantMatmulAllReduceV4);
FUSED_RUN(aclnnQuantMatmulAllReduceV5);
FUSED_RUN(aclnnWeightQuantMatmulAllReduce);
FUSED_RUN(aclnnWeightQuantMatmulAllReduceV2);
