/* aclnn_all_gather_matmul_v2.h - aclnnAllGatherMatmul with scales: output = scales x
 * (gatherOut x x2) */
#ifndef ACLNN_ALL_GATHER_MATMUL_V2_H
#define ACLNN_ALL_GATHER_MATMUL_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAllGatherMatmulV2GetWorkspaceSize(const aclTensor *x1,
                                                   const aclTensor *x2,
                                                   const aclTensor *bias,
                                                   const aclTensor *x1Scale,
                                                   const aclTensor *x2Scale,
                                                   const aclTensor *quantScale,
                                                   int64_t blockSize,
                                                   const char *group,
                                                   int64_t gatherIndex,
                                                   int64_t commTurn,
                                                   int64_t streamMode,
                                                   int64_t groupSize,
                                                   const char *commMode,
                                                   aclTensor *output,
                                                   aclTensor *gatherOut,
                                                   aclTensor *amaxOut,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);
aclnnStatus aclnnAllGatherMatmulV2(void *workspace,
                                   uint64_t workspaceSize,
                                   aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
