/* aclnn_grouped_mat_mul_all_reduce.h - y = sum over all ranks of (x @ weight + bias),
 * for lists of tensors */
#ifndef ACLNN_GROUPED_MAT_MUL_ALL_REDUCE_H
#define ACLNN_GROUPED_MAT_MUL_ALL_REDUCE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnGroupedMatMulAllReduceGetWorkspaceSize(const aclTensorList *x,
                                            const aclTensorList *weight,
                                            const aclTensorList *bias,
                                            const aclIntArray *groupListOptional,
                                            int64_t splitItem,
                                            const char *group,
                                            const char *reduceOp,
                                            int64_t commTurn,
                                            int64_t streamMode,
                                            const aclTensorList *y,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor);
aclnnStatus aclnnGroupedMatMulAllReduce(void *workspace,
                                        uint64_t workspaceSize,
                                        aclOpExecutor *executor,
                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
