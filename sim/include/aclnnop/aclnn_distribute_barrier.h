/* aclnn_distribute_barrier.h - no rank goes on before all have come; xRef orders it
 * among other operators */
#ifndef ACLNN_DISTRIBUTE_BARRIER_H
#define ACLNN_DISTRIBUTE_BARRIER_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnDistributeBarrierGetWorkspaceSize(const aclTensor *xRef,
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
