/* aclnn_moe_distribute_combine_setup.h - sends the rows of the experts back and does
 * not wait */
#ifndef ACLNN_MOE_DISTRIBUTE_COMBINE_SETUP_H
#define ACLNN_MOE_DISTRIBUTE_COMBINE_SETUP_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnMoeDistributeCombineSetupGetWorkspaceSize(const aclTensor *expandX,
                                               const aclTensor *expertIds,
                                               const aclTensor *assistInfoForCombine,
                                               const char *groupEp,
                                               int64_t epWorldSize,
                                               int64_t epRankId,
                                               int64_t moeExpertNum,
                                               int64_t expertSharedType,
                                               int64_t sharedExpertNum,
                                               int64_t sharedExpertRankNum,
                                               int64_t globalBs,
                                               int64_t commQuantMode,
                                               int64_t commType,
                                               const char *commAlg,
                                               aclTensor *quantExpandXOut,
                                               aclTensor *commCmdInfoOut,
                                               uint64_t *workspaceSize,
                                               aclOpExecutor **executor);
aclnnStatus aclnnMoeDistributeCombineSetup(void *workspace,
                                           uint64_t workspaceSize,
                                           aclOpExecutor *executor,
                                           aclrtStream stream);

/* Returns the sizes of outputs, in elements. */
#ifdef __cplusplus
#define ACLNN_SIZE_OUT uint64_t &
#else
#define ACLNN_SIZE_OUT uint64_t *
#endif
aclnnStatus aclnnMoeDistributeCombineSetupTeardownCalcOutputSize(
    const aclTensor *expandX,
    const aclTensor *expertIds,
    const aclTensor *assistInfoForCombine,
    const char *groupEp,
    int64_t epWorldSize,
    int64_t epRankId,
    int64_t moeExpertNum,
    int64_t expertSharedType,
    int64_t sharedExpertNum,
    int64_t sharedExpertRankNum,
    int64_t globalBs,
    int64_t commQuantMode,
    int64_t commType,
    const char *commAlg,
    ACLNN_SIZE_OUT tokenMsgSize,
    ACLNN_SIZE_OUT commCmdInfoOutSize);
#undef ACLNN_SIZE_OUT

#ifdef __cplusplus
}
#endif

#endif
