/* aclnn_matmul_all_reduce.h - output = the sum over all ranks of x1 x x2 + bias */
#ifndef ACLNN_MATMUL_ALL_REDUCE_H
#define ACLNN_MATMUL_ALL_REDUCE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
                                                 const aclTensor *x2,
                                                 const aclTensor *bias,
                                                 const char *group,
                                                 const char *reduceOp,
                                                 int64_t commTurn,
                                                 int64_t streamMode,
                                                 const aclTensor *output,
                                                 uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);
aclnnStatus aclnnMatmulAllReduce(void *workspace,
                                 uint64_t workspaceSize,
                                 aclOpExecutor *executor,
                                 const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
