/* aclnn_weight_quant_matmul_all_reduce_v2.h - aclnnWeightQuantMatmulAllReduce with a
 * choice of what moves the data */
#ifndef ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_V2_H
#define ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnWeightQuantMatmulAllReduceV2GetWorkspaceSize(const aclTensor *x1,
                                                  const aclTensor *x2,
                                                  const aclTensor *bias,
                                                  const aclTensor *antiquantScale,
                                                  const aclTensor *antiquantOffset,
                                                  const aclTensor *x3,
                                                  const char *group,
                                                  const char *reduceOp,
                                                  const char *commMode,
                                                  int64_t commTurn,
                                                  int64_t streamMode,
                                                  int64_t antiquantGroupSize,
                                                  const aclTensor *output,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);
aclnnStatus aclnnWeightQuantMatmulAllReduceV2(void *workspace,
                                              uint64_t workspaceSize,
                                              aclOpExecutor *executor,
                                              const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
