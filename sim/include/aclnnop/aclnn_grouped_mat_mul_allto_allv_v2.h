/* aclnn_grouped_mat_mul_allto_allv_v2.h - aclnnGroupedMatMulAlltoAllv with a choice of
 * what moves the data */
#ifndef ACLNN_GROUPED_MAT_MUL_ALLTO_ALLV_V2_H
#define ACLNN_GROUPED_MAT_MUL_ALLTO_ALLV_V2_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnGroupedMatMulAlltoAllvV2GetWorkspaceSize(const aclTensor *gmmX,
                                              const aclTensor *gmmWeight,
                                              const aclTensor *sendCountsTensorOptional,
                                              const aclTensor *recvCountsTensorOptional,
                                              const aclTensor *mmXOptional,
                                              const aclTensor *mmWeightOptional,
                                              const char *group,
                                              const char *commMode,
                                              int64_t epWorldSize,
                                              const aclIntArray *sendCounts,
                                              const aclIntArray *recvCounts,
                                              bool transGmmWeight,
                                              bool transMmWeight,
                                              aclTensor *y,
                                              aclTensor *mmYOptional,
                                              uint64_t *workspaceSize,
                                              aclOpExecutor **executor);
aclnnStatus aclnnGroupedMatMulAlltoAllvV2(void *workspace,
                                          uint64_t workspaceSize,
                                          aclOpExecutor *executor,
                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
