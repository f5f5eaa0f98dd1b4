/* aclnn_weight_quant_matmul_all_reduce.h - the sum over all ranks of x1 x (x2 +
 * offset) x scale + bias + x3, of quantised x2 */
#ifndef ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_H
#define ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnWeightQuantMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
                                                const aclTensor *x2,
                                                const aclTensor *bias,
                                                const aclTensor *antiquantScale,
                                                const aclTensor *antiquantOffset,
                                                const aclTensor *x3,
                                                const char *group,
                                                const char *reduceOp,
                                                int64_t commTurn,
                                                int64_t streamMode,
                                                int64_t antiquantGroupSize,
                                                const aclTensor *output,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor);
aclnnStatus aclnnWeightQuantMatmulAllReduce(void *workspace,
                                            uint64_t workspaceSize,
                                            aclOpExecutor *executor,
                                            const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
