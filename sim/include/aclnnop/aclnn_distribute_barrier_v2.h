/* aclnn_distribute_barrier_v2.h - aclnnDistributeBarrier with a time limit */
#ifndef ACLNN_DISTRIBUTE_BARRIER_V2_H
#define ACLNN_DISTRIBUTE_BARRIER_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnDistributeBarrierV2GetWorkspaceSize(const aclTensor *xRef,
                                                     const aclTensor *timeOut,
                                                     const aclTensor *elasticInfo,
                                                     const char *group,
                                                     int64_t worldSize,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);
aclnnStatus aclnnDistributeBarrierV2(void *workspace,
                                     uint64_t workspaceSize,
                                     aclOpExecutor *executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
