/* aclnn_matmul_all_reduce_add_rms_norm.h - y = residual + the sum over all ranks of x1
 * x x2, normOut = its norm */
#ifndef ACLNN_MATMUL_ALL_REDUCE_ADD_RMS_NORM_H
#define ACLNN_MATMUL_ALL_REDUCE_ADD_RMS_NORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulAllReduceAddRmsNormGetWorkspaceSize(const aclTensor *x1,
                                                           const aclTensor *x2,
                                                           const aclTensor *bias,
                                                           const aclTensor *residual,
                                                           const aclTensor *gamma,
                                                           double epsilon,
                                                           const char *group,
                                                           const char *reduceOp,
                                                           int64_t commTurn,
                                                           int64_t streamMode,
                                                           const aclTensor *y,
                                                           const aclTensor *normOut,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);
aclnnStatus aclnnMatmulAllReduceAddRmsNorm(void *workspace,
                                           uint64_t workspaceSize,
                                           aclOpExecutor *executor,
                                           const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
