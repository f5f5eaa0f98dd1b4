/* aclnn_moe_distribute_combine.h - the experts return the tokens, each rank adds them
 * with their weights */
#ifndef ACLNN_MOE_DISTRIBUTE_COMBINE_H
#define ACLNN_MOE_DISTRIBUTE_COMBINE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

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
                                                      aclOpExecutor **executor);
aclnnStatus aclnnMoeDistributeCombine(void *workspace,
                                      uint64_t workspaceSize,
                                      aclOpExecutor *executor,
                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
