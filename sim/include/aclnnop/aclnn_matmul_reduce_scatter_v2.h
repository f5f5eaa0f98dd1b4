/* aclnn_matmul_reduce_scatter_v2.h - aclnnMatmulReduceScatter with scales of the
 * factors */
#ifndef ACLNN_MATMUL_REDUCE_SCATTER_V2_H
#define ACLNN_MATMUL_REDUCE_SCATTER_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulReduceScatterV2GetWorkspaceSize(const aclTensor *x1,
                                                       const aclTensor *x2,
                                                       const aclTensor *bias,
                                                       const aclTensor *x1Scale,
                                                       const aclTensor *x2Scale,
                                                       const aclTensor *quantScale,
                                                       int64_t blockSize,
                                                       const char *group,
                                                       const char *reduceOp,
                                                       int64_t commTurn,
                                                       int64_t streamMode,
                                                       int64_t groupSize,
                                                       const char *commMode,
                                                       aclTensor *output,
                                                       aclTensor *amaxOutOptional,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);
aclnnStatus aclnnMatmulReduceScatterV2(void *workspace,
                                       uint64_t workspaceSize,
                                       aclOpExecutor *executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
