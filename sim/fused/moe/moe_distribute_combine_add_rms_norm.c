/* moe_distribute_combine_add_rms_norm.c - combine (combine.h), then a residual and its
 * norm */
#include <aclnnop/aclnn_moe_distribute_combine_add_rms_norm.h>
#include <aclnnop/aclnn_moe_distribute_combine_add_rms_norm_v2.h>

#include "sim/fused/moe/combine_call.h"

FUSED_KERNELS(MoeDistributeCombineAddRmsNorm, combine_steps, 1);

#define NORM                                                                           \
    .residual = residualX, .gamma = gamma, .y = yOut, .rstd = rstdOut,                 \
    .epsilon = normEps, .has_norm = true

aclnnStatus aclnnMoeDistributeCombineAddRmsNormGetWorkspaceSize(
    const aclTensor *expandX,
    const aclTensor *expertIds,
    const aclTensor *assistInfoForCombine,
    const aclTensor *epSendCounts,
    const aclTensor *expertScales,
    const aclTensor *residualX,
    const aclTensor *gamma,
    const aclTensor *tpSendCountsOptional,
    const aclTensor *xActiveMaskOptional,
    const aclTensor *activationScaleOptional,
    const aclTensor *weightScaleOptional,
    const aclTensor *groupListOptional,
    const aclTensor *expandScalesOptional,
    const aclTensor *sharedExpertXOptional,
    const char *groupEp,
    int64_t epWorldSize,
    int64_t epRankId,
    int64_t moeExpertNum,
    const char *groupTp,
    int64_t tpWorldSize,
    int64_t tpRankId,
    int64_t expertShardType,
    int64_t sharedExpertNum,
    int64_t sharedExpertRankNum,
    int64_t globalBs,
    int64_t outDtype,
    int64_t commQuantMode,
    int64_t groupListType,
    const char *commAlg,
    float normEps,
    aclTensor *yOut,
    aclTensor *rstdOut,
    aclTensor *xOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    const struct combine_call call = {COMBINE_LATER, NORM};

    COMBINE_UNUSED;
    return combine_prepare("MoeDistributeCombineAddRmsNorm", &call, workspaceSize,
                           executor);
}

aclnnStatus aclnnMoeDistributeCombineAddRmsNormV2GetWorkspaceSize(
    const aclTensor *expandX,
    const aclTensor *expertIds,
    const aclTensor *assistInfoForCombine,
    const aclTensor *epSendCounts,
    const aclTensor *expertScales,
    const aclTensor *residualX,
    const aclTensor *gamma,
    const aclTensor *tpSendCountsOptional,
    const aclTensor *xActiveMaskOptional,
    const aclTensor *activationScaleOptional,
    const aclTensor *weightScaleOptional,
    const aclTensor *groupListOptional,
    const aclTensor *expandScalesOptional,
    const aclTensor *sharedExpertXOptional,
    const aclTensor *elasticInfoOptional,
    const aclTensor *oriXOptional,
    const aclTensor *constExpertAlpha1Optional,
    const aclTensor *constExpertAlpha2Optional,
    const aclTensor *constExpertVOptional,
    const char *groupEp,
    int64_t epWorldSize,
    int64_t epRankId,
    int64_t moeExpertNum,
    const char *groupTp,
    int64_t tpWorldSize,
    int64_t tpRankId,
    int64_t expertShardType,
    int64_t sharedExpertNum,
    int64_t sharedExpertRankNum,
    int64_t globalBs,
    int64_t outDtype,
    int64_t commQuantMode,
    int64_t groupListType,
    const char *commAlg,
    float normEps,
    int64_t zeroExpertNum,
    int64_t copyExpertNum,
    int64_t constExpertNum,
    aclTensor *yOut,
    aclTensor *rstdOut,
    aclTensor *xOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    const struct combine_call call = {COMBINE_LATER, NORM, COMBINE_EXTRA};

    COMBINE_UNUSED;
    COMBINE_UNUSED_EXTRA;
    return combine_prepare("MoeDistributeCombineAddRmsNorm", &call, workspaceSize,
                           executor);
}

FUSED_RUN(aclnnMoeDistributeCombineAddRmsNorm);
FUSED_RUN(aclnnMoeDistributeCombineAddRmsNormV2);
