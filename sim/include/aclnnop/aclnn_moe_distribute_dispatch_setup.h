/* aclnn_moe_distribute_dispatch_setup.h - sends tokens to the ranks of their experts
 * and does not wait */
#ifndef ACLNN_MOE_DISTRIBUTE_DISPATCH_SETUP_H
#define ACLNN_MOE_DISTRIBUTE_DISPATCH_SETUP_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnMoeDistributeDispatchSetupGetWorkspaceSize(const aclTensor *x,
                                                const aclTensor *expertIds,
                                                const aclTensor *scalesOptional,
                                                const aclTensor *xActiveMaskOptional,
                                                const char *groupEp,
                                                int64_t epWorldSize,
                                                int64_t epRankId,
                                                int64_t moeExpertNum,
                                                int64_t expertShardType,
                                                int64_t sharedExpertNum,
                                                int64_t sharedExpertRankNum,
                                                int64_t quantMode,
                                                int64_t globalBs,
                                                int64_t commType,
                                                const char *commAlg,
                                                aclTensor *yOut,
                                                aclTensor *expandIdxOut,
                                                aclTensor *commCmdInfoOut,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor);
aclnnStatus aclnnMoeDistributeDispatchSetup(void *workspace,
                                            uint64_t workspaceSize,
                                            aclOpExecutor *executor,
                                            aclrtStream stream);

/* Returns the sizes of outputs, in elements. */
#ifdef __cplusplus
#define ACLNN_SIZE_OUT uint64_t &
#else
#define ACLNN_SIZE_OUT uint64_t *
#endif
aclnnStatus aclnnMoeDistributeDispatchSetupTeardownCalcOutputSize(
    const aclTensor *x,
    const aclTensor *expertIds,
    const aclTensor *scalesOptional,
    const aclTensor *xActiveMaskOptional,
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
    const char *commAlg,
    ACLNN_SIZE_OUT tokenMsgSize,
    ACLNN_SIZE_OUT expandIdxOutSize,
    ACLNN_SIZE_OUT assistInfoForCombineOutSize,
    ACLNN_SIZE_OUT commCmdInfoOutSize);
#undef ACLNN_SIZE_OUT

#ifdef __cplusplus
}
#endif

#endif
