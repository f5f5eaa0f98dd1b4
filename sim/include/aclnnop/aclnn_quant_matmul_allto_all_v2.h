/* aclnn_quant_matmul_allto_all_v2.h - aclnnQuantMatmulAlltoAll with a choice of what
 * moves the data */
#ifndef ACLNN_QUANT_MATMUL_ALLTO_ALL_V2_H
#define ACLNN_QUANT_MATMUL_ALLTO_ALL_V2_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnQuantMatmulAlltoAllV2GetWorkspaceSize(const aclTensor *x1,
                                           const aclTensor *x2,
                                           const aclTensor *biasOptional,
                                           const aclTensor *x1Scale,
                                           const aclTensor *x2Scale,
                                           const aclTensor *commScaleOptional,
                                           const aclTensor *x1OffsetOptional,
                                           const aclTensor *x2OffsetOptional,
                                           const aclIntArray *alltoAllAxesOptional,
                                           const char *group,
                                           const char *commMode,
                                           int64_t x1QuantMode,
                                           int64_t x2QuantMode,
                                           int64_t commQuantMode,
                                           int64_t commQuantDtype,
                                           int64_t groupSize,
                                           bool transposeX1,
                                           bool transposeX2,
                                           const aclTensor *output,
                                           uint64_t *workspaceSize,
                                           aclOpExecutor **executor);
aclnnStatus aclnnQuantMatmulAlltoAllV2(void *workspace,
                                       uint64_t workspaceSize,
                                       aclOpExecutor *executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
