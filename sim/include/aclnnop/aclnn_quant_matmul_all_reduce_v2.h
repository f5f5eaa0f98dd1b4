/* aclnn_quant_matmul_all_reduce_v2.h - aclnnQuantMatmulAllReduce with a scale for each
 * row of x1 */
#ifndef ACLNN_QUANT_MATMUL_ALL_REDUCE_V2_H
#define ACLNN_QUANT_MATMUL_ALL_REDUCE_V2_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnQuantMatmulAllReduceV2GetWorkspaceSize(const aclTensor *x1,
                                            const aclTensor *x2,
                                            const aclTensor *bias,
                                            const aclTensor *x3,
                                            const aclTensor *dequantScale,
                                            const aclTensor *pertokenScaleOptional,
                                            const char *group,
                                            const char *reduceOp,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            const aclTensor *output,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor);
aclnnStatus aclnnQuantMatmulAllReduceV2(void *workspace,
                                        uint64_t workspaceSize,
                                        aclOpExecutor *executor,
                                        const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
