/* moe_distribute_combine.c - versions 1 to 4 of combine (combine.h) */
#include <aclnnop/aclnn_moe_distribute_combine.h>
#include <aclnnop/aclnn_moe_distribute_combine_v2.h>
#include <aclnnop/aclnn_moe_distribute_combine_v3.h>
#include <aclnnop/aclnn_moe_distribute_combine_v4.h>

#include "sim/fused/moe/combine_call.h"
#include "sim/fused/shared/table.h"

FUSED_KERNELS(MoeDistributeCombine, combine_steps, 1);
FUSED_KERNELS(MoeDistributeCombineV2, combine_steps, 1);
FUSED_KERNELS(MoeDistributeCombineV3, combine_steps, 1);

aclnnStatus aclnnMoeDistributeCombineGetWorkspaceSize(const aclTensor *expandX,
                                                      const aclTensor *expertIds,
                                                      const aclTensor *expandIdx,
                                                      const aclTensor *epSendCounts,
                                                      const aclTensor *expertScales,
                                                      const aclTensor *tpSendCounts,
                                                      const aclTensor *xActiveMask,
                                                      const aclTensor *activationScale,
                                                      const aclTensor *weightScale,
                                                      const aclTensor *groupList,
                                                      const aclTensor *expandScales,
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
                                                      aclTensor *x,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    const struct combine_call call = {.place = TOKENS_PLACE(NULL),
                                      .expand_x = expandX,
                                      .ids = expertIds,
                                      .assist = expandIdx,
                                      .send_counts = epSendCounts,
                                      .expert_scales = expertScales,
                                      .mask = xActiveMask,
                                      .out = x,
                                      .out_type = outDtype,
                                      .quant_mode = commQuantMode,
                                      .list_type = groupListType,
                                      .is_first = true};

    (void)tpSendCounts;
    (void)activationScale;
    (void)weightScale;
    (void)groupList;
    (void)expandScales;
    return combine_prepare("MoeDistributeCombine", &call, workspaceSize, executor);
}
static const char *later_type(void)
{
    return table_type("MoeDistributeCombineV2", "MoeDistributeCombineV3");
}

aclnnStatus
aclnnMoeDistributeCombineV2GetWorkspaceSize(const aclTensor *expandX,
                                            const aclTensor *expertIds,
                                            const aclTensor *assistInfoForCombine,
                                            const aclTensor *epSendCounts,
                                            const aclTensor *expertScales,
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
                                            aclTensor *xOut,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const struct combine_call call = {COMBINE_LATER};

    COMBINE_UNUSED;
    return combine_prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeCombineV3GetWorkspaceSize(const aclTensor *expandX,
                                            const aclTensor *expertIds,
                                            const aclTensor *assistInfoForCombine,
                                            const aclTensor *epSendCounts,
                                            const aclTensor *expertScales,
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
                                            int64_t zeroExpertNum,
                                            int64_t copyExpertNum,
                                            int64_t constExpertNum,
                                            aclTensor *xOut,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const struct combine_call call = {COMBINE_LATER, COMBINE_EXTRA};

    COMBINE_UNUSED;
    COMBINE_UNUSED_EXTRA;
    return combine_prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeCombineV4GetWorkspaceSize(const aclTensor *expandX,
                                            const aclTensor *expertIds,
                                            const aclTensor *assistInfoForCombine,
                                            const aclTensor *epSendCounts,
                                            const aclTensor *expertScales,
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
                                            const aclTensor *performanceInfoOptional,
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
                                            int64_t zeroExpertNum,
                                            int64_t copyExpertNum,
                                            int64_t constExpertNum,
                                            aclTensor *xOut,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const struct combine_call call = {COMBINE_LATER, COMBINE_EXTRA,
                                      .performance = performanceInfoOptional};

    COMBINE_UNUSED;
    COMBINE_UNUSED_EXTRA;
    return combine_prepare(later_type(), &call, workspaceSize, executor);
}

FUSED_RUN(aclnnMoeDistributeCombine);
FUSED_RUN(aclnnMoeDistributeCombineV2);
FUSED_RUN(aclnnMoeDistributeCombineV3);
FUSED_RUN(aclnnMoeDistributeCombineV4);
