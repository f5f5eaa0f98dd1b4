/* aclnn_matmul_reduce_scatter.h - output = this rank's rows of the sum over all ranks
 * of x1 x x2 */
#ifndef ACLNN_MATMUL_REDUCE_SCATTER_H
#define ACLNN_MATMUL_REDUCE_SCATTER_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulReduceScatterGetWorkspaceSize(const aclTensor *x1,
                                                     const aclTensor *x2,
                                                     const aclTensor *bias,
                                                     const char *group,
                                                     const char *reduceOp,
                                                     int64_t commTurn,
                                                     int64_t streamMode,
                                                     const aclTensor *output,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);
aclnnStatus aclnnMatmulReduceScatter(void *workspace,
                                     uint64_t workspaceSize,
                                     aclOpExecutor *executor,
                                     const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
