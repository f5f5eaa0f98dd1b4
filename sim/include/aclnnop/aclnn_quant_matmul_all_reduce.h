/* aclnn_quant_matmul_all_reduce.h - the sum over all ranks of dequantScale x (x1 x x2
 * + bias) + x3, of INT8 factors */
#ifndef ACLNN_QUANT_MATMUL_ALL_REDUCE_H
#define ACLNN_QUANT_MATMUL_ALL_REDUCE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnQuantMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
                                                      const aclTensor *x2,
                                                      const aclTensor *bias,
                                                      const aclTensor *x3,
                                                      const aclTensor *dequantScale,
                                                      const char *group,
                                                      const char *reduceOp,
                                                      int64_t commTurn,
                                                      int64_t streamMode,
                                                      const aclTensor *output,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);
aclnnStatus aclnnQuantMatmulAllReduce(void *workspace,
                                      uint64_t workspaceSize,
                                      aclOpExecutor *executor,
                                      const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
