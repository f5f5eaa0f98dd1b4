/* aclnn_matmul_all_reduce_v2.h - output = the sum over all ranks of x1 x x2 + bias +
 * x3 */
#ifndef ACLNN_MATMUL_ALL_REDUCE_V2_H
#define ACLNN_MATMUL_ALL_REDUCE_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulAllReduceV2GetWorkspaceSize(const aclTensor *x1,
                                                   const aclTensor *x2,
                                                   const aclTensor *bias,
                                                   const aclTensor *x3,
                                                   const char *group,
                                                   const char *reduceOp,
                                                   int64_t commTurn,
                                                   int64_t streamMode,
                                                   const aclTensor *output,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);
aclnnStatus aclnnMatmulAllReduceV2(void *workspace,
                                   uint64_t workspaceSize,
                                   aclOpExecutor *executor,
                                   const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
