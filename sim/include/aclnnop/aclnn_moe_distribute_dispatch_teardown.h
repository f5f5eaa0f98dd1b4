/* aclnn_moe_distribute_dispatch_teardown.h - waits for the tokens of a Setup and sorts
 * them */
#ifndef ACLNN_MOE_DISTRIBUTE_DISPATCH_TEARDOWN_H
#define ACLNN_MOE_DISTRIBUTE_DISPATCH_TEARDOWN_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnMoeDistributeDispatchTeardownGetWorkspaceSize(const aclTensor *x,
                                                   const aclTensor *y,
                                                   const aclTensor *expertIds,
                                                   const aclTensor *commCmdInfo,
                                                   const char *groupEp,
                                                   int64_t epWorldSize,
                                                   int64_t epRankId,
                                                   int64_t moeExpertNum,
                                                   int64_t expertShardType,
                                                   int64_t sharedExpertNum,
                                                   int64_t sharedExpertRankNum,
                                                   int64_t quantMode,
                                                   int64_t globalBs,
                                                   int64_t expertTokenNumsType,
                                                   int64_t commType,
                                                   char *commAlg,
                                                   aclTensor *expandXOut,
                                                   aclTensor *dynamicScalesOut,
                                                   aclTensor *assistInfoForCombineOut,
                                                   aclTensor *expertTokenNumsOut,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);
aclnnStatus aclnnMoeDistributeDispatchTeardown(void *workspace,
                                               uint64_t workspaceSize,
                                               aclOpExecutor *executor,
                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
