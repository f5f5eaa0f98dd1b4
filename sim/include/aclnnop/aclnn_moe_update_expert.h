/* aclnn_moe_update_expert.h - replaces the numbers of experts by the places of their
 * copies */
#ifndef ACLNN_MOE_UPDATE_EXPERT_H
#define ACLNN_MOE_UPDATE_EXPERT_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnMoeUpdateExpertGetWorkspaceSize(const aclTensor *expertIds,
                                     const aclTensor *eplbTable,
                                     const aclTensor *expertScalesOptional,
                                     const aclTensor *pruningThresholdOptional,
                                     const aclTensor *activeMaskOptional,
                                     int64_t localRankId,
                                     int64_t worldSize,
                                     int64_t balanceMode,
                                     aclTensor *balancedExpertIds,
                                     aclTensor *balancedActiveMask,
                                     uint64_t *workspaceSize,
                                     aclOpExecutor **executor);
aclnnStatus aclnnMoeUpdateExpert(void *workspace,
                                 uint64_t workspaceSize,
                                 aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
