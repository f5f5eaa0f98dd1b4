/* aclnn_distribute_barrier.h - no rank ends before all ranks have begun */
#ifndef ACLNN_DISTRIBUTE_BARRIER_H
#define ACLNN_DISTRIBUTE_BARRIER_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnDistributeBarrierGetWorkspaceSize(aclTensor *xRef,
                                                   const char *group,
                                                   int64_t worldSize,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);
aclnnStatus aclnnDistributeBarrier(void *workspace,
                                   uint64_t workspaceSize,
                                   aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
