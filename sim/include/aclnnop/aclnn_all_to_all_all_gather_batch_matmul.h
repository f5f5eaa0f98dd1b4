/* aclnn_all_to_all_all_gather_batch_matmul.h - an all-to-all in the group of the
 * experts, an all-gather in the tensor group, a product for each expert and an
 * activation */
#ifndef ACLNN_ALL_TO_ALL_ALL_GATHER_BATCH_MATMUL_H
#define ACLNN_ALL_TO_ALL_ALL_GATHER_BATCH_MATMUL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnAlltoAllAllGatherBatchMatMulGetWorkspaceSize(const aclTensor *x,
                                                  const aclTensor *weight,
                                                  const aclTensor *biasOptional,
                                                  const char *groupEp,
                                                  const char *groupTp,
                                                  int64_t epWorldSize,
                                                  int64_t tpWorldSize,
                                                  int64_t xShardType,
                                                  int64_t actType,
                                                  aclTensor *y1Out,
                                                  aclTensor *y2OutOptional,
                                                  aclTensor *y3OutOptional,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);
aclnnStatus aclnnAlltoAllAllGatherBatchMatMul(void *workspace,
                                              uint64_t workspaceSize,
                                              aclOpExecutor *executor,
                                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
