/* moe_distribute_dispatch.c - versions 1 to 4 of dispatch (dispatch.h) */
#include <aclnnop/aclnn_moe_distribute_dispatch.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v2.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v3.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v4.h>

#include "sim/fused/moe/dispatch.h"
#include "sim/fused/shared/table.h"

FUSED_KERNELS(MoeDistributeDispatch, dispatch_steps, 1);
FUSED_KERNELS(MoeDistributeDispatchV2, dispatch_steps, 1);
FUSED_KERNELS(MoeDistributeDispatchV3, dispatch_steps, 1);

aclnnStatus aclnnMoeDistributeDispatchGetWorkspaceSize(const aclTensor *x,
                                                       const aclTensor *expertIds,
                                                       const aclTensor *scales,
                                                       const aclTensor *xActiveMask,
                                                       const aclTensor *expertScales,
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
                                                       int64_t quantMode,
                                                       int64_t globalBs,
                                                       int64_t expertTokenNumsType,
                                                       aclTensor *expandX,
                                                       aclTensor *dynamicScales,
                                                       aclTensor *expandIdx,
                                                       aclTensor *expertTokenNums,
                                                       aclTensor *epRecvCounts,
                                                       aclTensor *tpRecvCounts,
                                                       aclTensor *expandScales,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor)
{
    const struct dispatch_call call = {.place = TOKENS_PLACE(NULL),
                                       .x = x,
                                       .ids = expertIds,
                                       .scales = scales,
                                       .mask = xActiveMask,
                                       .expert_scales = expertScales,
                                       .quant_mode = quantMode,
                                       .token_nums_type = expertTokenNumsType,
                                       .expand_x = expandX,
                                       .dynamic_scales = dynamicScales,
                                       .assist = expandIdx,
                                       .token_nums = expertTokenNums,
                                       .recv_counts = epRecvCounts,
                                       .tp_counts = tpRecvCounts,
                                       .expand_scales = expandScales,
                                       .is_first = true};

    return dispatch_prepare("MoeDistributeDispatch", &call, workspaceSize, executor);
}
#define LATER                                                                          \
    .place = TOKENS_PLACE(commAlg), .x = x, .ids = expertIds,                          \
    .scales = scalesOptional, .mask = xActiveMaskOptional,                             \
    .expert_scales = expertScalesOptional, .quant_mode = quantMode,                    \
    .token_nums_type = expertTokenNumsType, .expand_x = expandXOut,                    \
    .dynamic_scales = dynamicScalesOut, .assist = assistInfoForCombineOut,             \
    .token_nums = expertTokenNumsOut, .recv_counts = epRecvCountsOut,                  \
    .tp_counts = tpRecvCountsOut, .expand_scales = expandScalesOut

static const char *later_type(void)
{
    return table_type("MoeDistributeDispatchV2", "MoeDistributeDispatchV3");
}

aclnnStatus
aclnnMoeDistributeDispatchV2GetWorkspaceSize(const aclTensor *x,
                                             const aclTensor *expertIds,
                                             const aclTensor *scalesOptional,
                                             const aclTensor *xActiveMaskOptional,
                                             const aclTensor *expertScalesOptional,
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
                                             int64_t quantMode,
                                             int64_t globalBs,
                                             int64_t expertTokenNumsType,
                                             const char *commAlg,
                                             aclTensor *expandXOut,
                                             aclTensor *dynamicScalesOut,
                                             aclTensor *assistInfoForCombineOut,
                                             aclTensor *expertTokenNumsOut,
                                             aclTensor *epRecvCountsOut,
                                             aclTensor *tpRecvCountsOut,
                                             aclTensor *expandScalesOut,
                                             uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const struct dispatch_call call = {LATER};

    return dispatch_prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeDispatchV3GetWorkspaceSize(const aclTensor *x,
                                             const aclTensor *expertIds,
                                             const aclTensor *scalesOptional,
                                             const aclTensor *xActiveMaskOptional,
                                             const aclTensor *expertScalesOptional,
                                             const aclTensor *elasticInfoOptional,
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
                                             int64_t quantMode,
                                             int64_t globalBs,
                                             int64_t expertTokenNumsType,
                                             const char *commAlg,
                                             int64_t zeroExpertNum,
                                             int64_t copyExpertNum,
                                             int64_t constExpertNum,
                                             aclTensor *expandXOut,
                                             aclTensor *dynamicScalesOut,
                                             aclTensor *assistInfoForCombineOut,
                                             aclTensor *expertTokenNumsOut,
                                             aclTensor *epRecvCountsOut,
                                             aclTensor *tpRecvCountsOut,
                                             aclTensor *expandScalesOut,
                                             uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const struct dispatch_call call = {LATER, .elastic = elasticInfoOptional,
                                       .zero = zeroExpertNum, .copy = copyExpertNum,
                                       .constant = constExpertNum};

    return dispatch_prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeDispatchV4GetWorkspaceSize(const aclTensor *x,
                                             const aclTensor *expertIds,
                                             const aclTensor *scalesOptional,
                                             const aclTensor *xActiveMaskOptional,
                                             const aclTensor *expertScalesOptional,
                                             const aclTensor *elasticInfoOptional,
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
                                             int64_t quantMode,
                                             int64_t globalBs,
                                             int64_t expertTokenNumsType,
                                             const char *commAlg,
                                             int64_t zeroExpertNum,
                                             int64_t copyExpertNum,
                                             int64_t constExpertNum,
                                             aclTensor *expandXOut,
                                             aclTensor *dynamicScalesOut,
                                             aclTensor *assistInfoForCombineOut,
                                             aclTensor *expertTokenNumsOut,
                                             aclTensor *epRecvCountsOut,
                                             aclTensor *tpRecvCountsOut,
                                             aclTensor *expandScalesOut,
                                             uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const struct dispatch_call call = {LATER,
                                       .elastic = elasticInfoOptional,
                                       .performance = performanceInfoOptional,
                                       .zero = zeroExpertNum,
                                       .copy = copyExpertNum,
                                       .constant = constExpertNum};

    return dispatch_prepare(later_type(), &call, workspaceSize, executor);
}

FUSED_RUN(aclnnMoeDistributeDispatch);
FUSED_RUN(aclnnMoeDistributeDispatchV2);
FUSED_RUN(aclnnMoeDistributeDispatchV3);
FUSED_RUN(aclnnMoeDistributeDispatchV4);
