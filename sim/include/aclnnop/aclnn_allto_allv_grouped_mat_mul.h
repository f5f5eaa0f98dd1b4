/* aclnn_allto_allv_grouped_mat_mul.h - tokens go to the ranks of their experts, each
 * expert multiplies its tokens */
#ifndef ACLNN_ALLTO_ALLV_GROUPED_MAT_MUL_H
#define ACLNN_ALLTO_ALLV_GROUPED_MAT_MUL_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnAlltoAllvGroupedMatMulGetWorkspaceSize(const aclTensor *gmmX,
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
                                            bool permuteOutFlag,
                                            aclTensor *gmmY,
                                            aclTensor *mmYOptional,
                                            aclTensor *permuteOutOptional,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor);
aclnnStatus aclnnAlltoAllvGroupedMatMul(void *workspace,
                                        uint64_t workspaceSize,
                                        aclOpExecutor *executor,
                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
