/* aclnn_grouped_mat_mul_allto_allv.h - each expert multiplies its tokens, the products
 * go back to the ranks of the tokens */
#ifndef ACLNN_GROUPED_MAT_MUL_ALLTO_ALLV_H
#define ACLNN_GROUPED_MAT_MUL_ALLTO_ALLV_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnGroupedMatMulAlltoAllvGetWorkspaceSize(const aclTensor *gmmX,
                                            const aclTensor *gmmWeight,
                                            const aclTensor *sendCountsTensorOptional,
                                            const aclTensor *recvCountsTensorOptional,
                                            const aclTensor *mmXOptional,
                                            const aclTensor *mmWeightOptional,
                                            const char *group,
                                            int64_t epWorldSize,
                                            const aclIntArray *sendCounts,
                                            const aclIntArray *recvCounts,
                                            bool transGmmWeight,
                                            bool transMmWeight,
                                            aclTensor *y,
                                            aclTensor *mmYOptional,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor);
aclnnStatus aclnnGroupedMatMulAlltoAllv(void *workspace,
                                        uint64_t workspaceSize,
                                        aclOpExecutor *executor,
                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
