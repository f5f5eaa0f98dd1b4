/* aclnn_matmul_all_reduce_v3.h - aclnnMatmulAllReduceV2 with a choice of what moves
 * the data */
#ifndef ACLNN_MATMUL_ALL_REDUCE_V3_H
#define ACLNN_MATMUL_ALL_REDUCE_V3_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulAllReduceV3GetWorkspaceSize(const aclTensor *x1,
                                                   const aclTensor *x2,
                                                   const aclTensor *bias,
                                                   const aclTensor *x3,
                                                   const char *group,
                                                   const char *reduceOp,
                                                   const char *commMode,
                                                   int64_t commTurn,
                                                   int64_t streamMode,
                                                   const aclTensor *output,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);
aclnnStatus aclnnMatmulAllReduceV3(void *workspace,
                                   uint64_t workspaceSize,
                                   aclOpExecutor *executor,
                                   const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
