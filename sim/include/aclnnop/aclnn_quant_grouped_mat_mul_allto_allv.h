/* aclnn_quant_grouped_mat_mul_allto_allv.h - aclnnGroupedMatMulAlltoAllv with
 * quantised factors */
#ifndef ACLNN_QUANT_GROUPED_MAT_MUL_ALLTO_ALLV_H
#define ACLNN_QUANT_GROUPED_MAT_MUL_ALLTO_ALLV_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnQuantGroupedMatMulAlltoAllvGetWorkspaceSize(
    const aclTensor *gmmX,
    const aclTensor *gmmWeight,
    const aclTensor *gmmXScale,
    const aclTensor *gmmWeightScale,
    const aclTensor *sendCountsTensorOptional,
    const aclTensor *recvCountsTensorOptional,
    const aclTensor *mmXOptional,
    const aclTensor *mmWeightOptional,
    const aclTensor *mmXScaleOptional,
    const aclTensor *mmWeightScaleOptional,
    const aclTensor *commQuantScaleOptional,
    int64_t gmmXQuantMode,
    int64_t gmmWeightQuantMode,
    int64_t mmXQuantMode,
    int64_t mmWeightQuantMode,
    int64_t commQuantMode,
    int64_t commQuantDtypeOptional,
    int64_t groupSize,
    const char *group,
    int64_t epWorldSize,
    const aclIntArray *sendCounts,
    const aclIntArray *recvCounts,
    bool transGmmWeight,
    bool transMmWeight,
    const aclTensor *y,
    const aclTensor *mmYOptional,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnQuantGroupedMatMulAlltoAllv(void *workspace,
                                             uint64_t workspaceSize,
                                             aclOpExecutor *executor,
                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
