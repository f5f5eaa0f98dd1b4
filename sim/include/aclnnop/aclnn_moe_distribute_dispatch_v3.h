/* aclnn_moe_distribute_dispatch_v3.h - aclnnMoeDistributeDispatchV2 with experts that
 * need no computation */
#ifndef ACLNN_MOE_DISTRIBUTE_DISPATCH_V3_H
#define ACLNN_MOE_DISTRIBUTE_DISPATCH_V3_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

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
                                             aclOpExecutor **executor);
aclnnStatus aclnnMoeDistributeDispatchV3(void *workspace,
                                         uint64_t workspaceSize,
                                         aclOpExecutor *executor,
                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
