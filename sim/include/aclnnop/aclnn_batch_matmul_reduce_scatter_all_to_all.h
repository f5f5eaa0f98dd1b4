/* aclnn_batch_matmul_reduce_scatter_all_to_all.h - a product for each expert, a
 * reduce-scatter in the tensor group and an all-to-all in the group of the experts */
#ifndef ACLNN_BATCH_MATMUL_REDUCE_SCATTER_ALL_TO_ALL_H
#define ACLNN_BATCH_MATMUL_REDUCE_SCATTER_ALL_TO_ALL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnBatchMatMulReduceScatterAlltoAllGetWorkspaceSize(const aclTensor *x,
                                                      const aclTensor *weight,
                                                      const aclTensor *biasOptional,
                                                      const char *groupEp,
                                                      const char *groupTp,
                                                      int64_t epWorldSize,
                                                      int64_t tpWorldSize,
                                                      int64_t yShardType,
                                                      aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);
aclnnStatus aclnnBatchMatMulReduceScatterAlltoAll(void *workspace,
                                                  uint64_t workspaceSize,
                                                  aclOpExecutor *executor,
                                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
